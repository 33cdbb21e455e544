//! Tags: what tells by which tape of which process a value was made.
//!
//! A tape takes its tags from blocks of its own, so that the tape of a tag is found without a list of all tags. The
//! first block of a process begins at a random number: a value that came from another process as bytes has a tag that
//! means nothing here, whatever its id.
//!
//! Tags have 31 bits. What has one more stands for a value of another rank's (`remote`).
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// Tags in a block.
const BLOCK: u32 = 1 << 12;
/// No value has these: 0 is passive, and 1 is the epoch of what stands for no tape.
const RESERVED: Range<u32> = 0..2;

/// The bits of a tag.
const TAG: u32 = REMOTE - 1;
/// Marks what stands for a value of another rank, instead of the tag of one of this process.
pub const REMOTE: u32 = 1 << 31;
/// The lowest bits of such a mark, which tell the rank.
pub const REMOTE_RANK_BITS: u32 = 20;

/// What threads that have no tape learn of a tape, and tell it.
#[derive(Debug, Default)]
struct Shared {
    recording: AtomicBool,
    missed: AtomicBool,
}

/// The blocks of all tapes.
struct Registry {
    /// The first tag of the process.
    first: u32,
    /// How many blocks have been given out.
    given: u32,
    /// By the number of the block.
    owners: BTreeMap<u32, Arc<Shared>>,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(|| {
    let first = RandomState::new().hash_one(std::process::id()).to_le_bytes();
    let first = u32::from_le_bytes([first[0], first[1], first[2], first[3]]);
    Mutex::new(Registry { first, given: 0, owners: BTreeMap::new() })
});

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// The block that `tag` is in.
    const fn block_of(&self, tag: u32) -> u32 {
        (tag.wrapping_sub(self.first) & TAG) / BLOCK
    }

    /// The tags of a block; its end is exclusive and may have wrapped around.
    const fn tags_of(&self, block: u32) -> (u32, u32) {
        let start = self.first.wrapping_add(block.wrapping_mul(BLOCK));
        (start & TAG, start.wrapping_add(BLOCK) & TAG)
    }
}

/// Whether this process cannot have made a value of `tag`.
pub fn is_foreign(tag: u32) -> bool {
    let registry = registry();
    tag & REMOTE != 0 || registry.block_of(tag) >= registry.given
}

/// Whether the tape that made the values of `tag` records. It then knows that a statement of such a value is missing.
pub fn misses(tag: u32) -> bool {
    let registry = registry();
    let block = registry.block_of(tag);
    let Some(owner) = registry.owners.get(&block) else { return false };
    let records = owner.recording.load(Ordering::Relaxed);
    if records {
        owner.missed.store(true, Ordering::Relaxed);
    }
    records
}

/// The tags of one tape.
#[derive(Debug)]
pub struct Tags {
    next: u32,
    end: u32,
    blocks: Vec<u32>,
    recording: bool,
    shared: Arc<Shared>,
}

impl Tags {
    pub fn new() -> Self {
        let (shared, blocks) = (Arc::new(Shared::default()), Vec::new());
        Self { next: 0, end: 0, blocks, recording: false, shared }
    }

    /// A tag that no value has, until 2^31 of them have been given out. `is_open` tells of a tag whether values of it
    /// may still be used.
    pub fn next(&mut self, open: impl Iterator<Item = u32>) -> u32 {
        loop {
            if self.next == self.end {
                self.take_block(open);
                return self.next(std::iter::empty());
            }
            let tag = self.next;
            self.next = tag.wrapping_add(1) & TAG;
            if !RESERVED.contains(&tag) {
                return tag;
            }
        }
    }

    /// Takes one more block, and gives up those of which no tag is open.
    #[cold]
    fn take_block(&mut self, open: impl Iterator<Item = u32>) {
        let mut registry = registry();
        let used: Vec<u32> = open.map(|tag| registry.block_of(tag)).collect();
        self.blocks.retain(|block| {
            let keep = used.contains(block);
            if !keep {
                registry.owners.remove(block);
            }
            keep
        });
        let block = registry.given;
        registry.given = (block + 1).min(TAG / BLOCK);
        registry.owners.insert(block, Arc::clone(&self.shared));
        self.blocks.push(block);
        (self.next, self.end) = registry.tags_of(block);
    }

    /// The tape records from now on, or no longer. Whether that is new.
    #[inline]
    pub fn set_recording(&mut self, on: bool) -> bool {
        let changed = on != self.recording;
        if changed {
            self.recording = on;
            self.shared.recording.store(on, Ordering::Relaxed);
        }
        changed
    }

    /// Whether a thread without a tape computed with values of this one while it recorded.
    pub fn missed(&self) -> bool {
        self.shared.missed.load(Ordering::Relaxed)
    }

    /// The recording is forgotten, and with it what it misses.
    pub fn forget_missed(&self) {
        self.shared.missed.store(false, Ordering::Relaxed);
    }
}

impl Drop for Tags {
    fn drop(&mut self) {
        let mut registry = registry();
        for block in &self.blocks {
            registry.owners.remove(block);
        }
    }
}
