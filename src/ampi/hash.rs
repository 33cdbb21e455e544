//! Hash tables whose keys are numbers of the program's own: places, ranks, tags. Nobody chooses them to collide, so a
//! multiplication mixes them well enough, at a tenth of the cost of the standard library's hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

#[derive(Debug, Default, Clone, Copy)]
pub struct Mix(u64);

/// The golden ratio's digits: consecutive numbers land far apart.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Mix {
    #[inline]
    const fn add(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(MULTIPLIER);
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.add(byte.into()));
    }
    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.add(number.into());
    }
    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }
    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }
    #[inline]
    fn write_i32(&mut self, number: i32) {
        self.add(number.cast_unsigned().into());
    }
    /// A multiplication mixes upwards, and tables look at both ends.
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::{BuildHasher, Hash};

    fn hash(key: impl Hash) -> u64 {
        BuildHasherDefault::<Mix>::default().hash_one(key)
    }

    /// A table of 2^k places looks at the lowest k bits, and at the highest 7 of what it finds there.
    #[test]
    fn test_table_spreads_channels() {
        let keys = (0..8usize).flat_map(|private| {
            (0..16i32).flat_map(move |peer| (0..64i32).map(move |tag| (private, peer, tag)))
        });
        let hashes: Vec<u64> = keys.map(hash).collect();
        assert_eq!(hashes.len(), 1 << 13);
        let places: HashSet<u64> = hashes.iter().map(|hash| hash & ((1 << 13) - 1)).collect();
        // At random all but 1/e of the places would be hit.
        assert!(places.len() > (1 << 12), "{}", places.len());
        assert_eq!(hashes.iter().map(|hash| hash >> 57).collect::<HashSet<_>>().len(), 128);
        assert_eq!(hashes.iter().collect::<HashSet<_>>().len(), hashes.len());
    }
}
