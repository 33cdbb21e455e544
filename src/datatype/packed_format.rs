//! What `AMPI_Pack` writes of active data, and how it is found again.
//!
//! MPI leaves to the library what packed bytes look like, and a program only copies and sends them. So the ids stand among
//! them: wherever the bytes go, the ids go with them. A unit is
//!
//! | words of 8 bytes | |
//! |---|---|
//! | 1 | `MAGIC`, a number that is no number: bytes that are mistaken for values do not look like any |
//! | 1 | the process whose ids these are |
//! | 3 | items, active doubles, bytes on the wire |
//! | 1 | a sum over all that follows and the words before: what was overwritten or cut is no unit |
//! | one an active double | its id and tag |
//! | | the bytes as a message has them |
//!
//! Bytes of passive data stand between units as MPI packs them.
#![forbid(unsafe_code)]

use crate::tape::Var;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

/// A quiet NaN.
const MAGIC: u64 = 0x7ffc_9d3a_61c7_e5b2;
const WORD: usize = 8;
/// Bytes before the marks.
pub const HEADER: usize = 6 * WORD;

/// A number that no other process has.
fn this_process() -> u64 {
    static OWN: OnceLock<u64> = OnceLock::new();
    *OWN.get_or_init(|| RandomState::new().build_hasher().finish())
}

/// A unit in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    at: usize,
    process: u64,
    pub items: usize,
    /// Active doubles.
    pub n: usize,
    /// Bytes on the wire.
    pub bytes: usize,
}

fn word(data: &[u8], at: usize) -> Option<u64> {
    let bytes = data.get(at..at.checked_add(WORD)?)?;
    Some(u64::from_ne_bytes(bytes.try_into().ok()?))
}

fn put(data: &mut [u8], at: usize, word: u64) {
    data[at..at + WORD].copy_from_slice(&word.to_ne_bytes());
}

fn wide(word: u64) -> Option<usize> {
    usize::try_from(word).ok()
}

fn signed(n: usize) -> u64 {
    n as u64
}

/// Bytes of a unit; none if they are past the address space.
pub fn size(n: usize, bytes: usize) -> Option<usize> {
    n.checked_mul(WORD)?.checked_add(bytes)?.checked_add(HEADER)
}

/// Whether something that was a unit once begins at `at`.
pub fn begins(data: &[u8], at: usize) -> bool {
    word(data, at) == Some(MAGIC)
}

fn sum(data: &[u8]) -> u64 {
    let mix =
        |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = data.as_chunks::<WORD>();
    let mut last = [0; WORD];
    last[..rest.len()].copy_from_slice(rest);
    let all = words.iter().chain([&last]).map(|bytes| u64::from_ne_bytes(*bytes));
    all.fold(signed(data.len()), mix)
}

impl Unit {
    /// The unit at `at`, by its header.
    pub fn at(data: &[u8], at: usize) -> Option<Self> {
        if !begins(data, at) {
            return None;
        }
        let number = |i: usize| word(data, at + i * WORD);
        let (items, n, bytes) = (wide(number(2)?)?, wide(number(3)?)?, wide(number(4)?)?);
        let end = at.checked_add(size(n, bytes)?)?;
        (end <= data.len()).then_some(Self { at, process: number(1)?, items, n, bytes })
    }

    pub const fn begin(&self) -> usize {
        self.at
    }

    /// The active doubles among `bytes` on the wire behind so many: the first, and how many. None where these bytes begin or
    /// end within one, or within an item that has passive parts.
    pub fn doubles(&self, before: usize, bytes: usize) -> Option<(usize, usize)> {
        let (each, n) = match self.bytes.checked_div(self.items) {
            Some(each) if self.bytes != self.n * WORD => (each, self.n / self.items),
            _ => (WORD, 1),
        };
        let whole = before.is_multiple_of(each) && bytes.is_multiple_of(each);
        whole.then(|| (before / each * n, bytes / each * n))
    }

    /// Where its bytes on the wire begin.
    pub const fn values(&self) -> usize {
        self.at + HEADER + self.n * WORD
    }

    /// Where it ends.
    pub const fn end(&self) -> usize {
        self.values() + self.bytes
    }

    /// Whether it is as it was written.
    pub fn is_whole(&self, data: &[u8]) -> bool {
        word(data, self.at + 5 * WORD) == Some(self.sum(data))
    }

    fn sum(&self, data: &[u8]) -> u64 {
        let begin = &data[self.at + WORD..self.at + 5 * WORD];
        sum(begin) ^ sum(&data[self.at + HEADER..self.end()]).rotate_left(1)
    }

    /// Whether its ids, if any, are those of this process.
    pub fn is_ours(&self) -> bool {
        self.n == 0 || self.process == this_process()
    }

    /// Id and tag of the `i`th active double.
    pub fn mark(&self, data: &[u8], i: usize) -> (u32, u32) {
        let at = self.at + HEADER + i * WORD;
        let half = |at: usize| data[at..at + 4].try_into().map_or(0, u32::from_ne_bytes);
        (half(at), half(at + 4))
    }

    fn put_mark(&self, data: &mut [u8], i: usize, (id, tag): (u32, u32)) {
        let at = self.at + HEADER + i * WORD;
        data[at..at + 4].copy_from_slice(&id.to_ne_bytes());
        data[at + 4..at + WORD].copy_from_slice(&tag.to_ne_bytes());
    }

    fn seal(&self, data: &mut [u8]) {
        put(data, self.at + WORD, this_process());
        let sum = self.sum(data);
        put(data, self.at + 5 * WORD, sum);
    }

    /// Writes a unit at `at`, where there is room for it: its ids are those of `vars`.
    pub fn write(data: &mut [u8], at: usize, items: usize, vars: &[Var], wire: &[u8]) -> Self {
        let unit = Self { at, process: this_process(), items, n: vars.len(), bytes: wire.len() };
        for (i, number) in
            [(0, MAGIC), (2, signed(items)), (3, signed(unit.n)), (4, signed(unit.bytes))]
        {
            put(data, at + i * WORD, number);
        }
        for (i, var) in vars.iter().enumerate() {
            unit.put_mark(data, i, (var.id, var.tag));
        }
        data[unit.values()..unit.end()].copy_from_slice(wire);
        unit.seal(data);
        unit
    }

    /// Gives its active doubles other ids, which are this process's.
    pub fn adopt(&self, data: &mut [u8], mut mark: impl FnMut(usize) -> (u32, u32)) {
        for i in 0..self.n {
            self.put_mark(data, i, mark(i));
        }
        self.seal(data);
    }
}

/// The whole units of a buffer, in order. What is left of others counts as passive.
pub fn units(data: &[u8]) -> Vec<Unit> {
    units_before(data, data.len())
}

/// Those that begin before `end`, and no byte behind them is looked at.
pub fn units_before(data: &[u8], end: usize) -> Vec<Unit> {
    let first = MAGIC.to_ne_bytes()[0];
    let (mut found, mut at, end) = (Vec::new(), 0, end.min(data.len()));
    while let Some(next) =
        data.get(at..end).and_then(|rest| rest.iter().position(|&byte| byte == first))
    {
        at += next;
        match Unit::at(data, at).filter(|unit| unit.is_whole(data)) {
            Some(unit) => {
                at = unit.end();
                found.push(unit);
            }
            None => at += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(ids: &[u32]) -> Vec<Var> {
        ids.iter().map(|&id| Var { value: 0.5, id, tag: 7 }).collect()
    }

    /// Two units with passive bytes before, between and behind, at places that no word begins at.
    fn buffer() -> Vec<u8> {
        let mut data = vec![3; 301];
        let first = Unit::write(&mut data, 5, 2, &vars(&[4, 9]), &[1; 16]);
        assert_eq!(first.end(), 5 + HEADER + 32);
        Unit::write(&mut data, first.end() + 3, 1, &vars(&[8]), &[2; 11]);
        data
    }

    #[test]
    fn test_packed_units_are_found_wherever_they_lie() {
        let data = buffer();
        let found = units(&data);
        assert_eq!(
            found.iter().map(|unit| (unit.items, unit.n)).collect::<Vec<_>>(),
            [(2, 2), (1, 1)]
        );
        assert_eq!(found[0].mark(&data, 1), (9, 7));
        assert_eq!(&data[found[1].values()..found[1].end()], [2; 11]);
        let copy = [&[0; 2], &data[..]].concat();
        assert_eq!(units(&copy).len(), 2);
        assert!(units(&copy).iter().all(Unit::is_ours));
    }

    #[test]
    fn test_packed_units_that_were_overwritten_or_cut_are_none() {
        let whole = buffer();
        let second = units(&whole)[1];
        for at in 5..second.end() {
            let mut data = whole.clone();
            data[at] ^= 0x10;
            let expected = if (5 + HEADER + 32..5 + HEADER + 35).contains(&at) { 2 } else { 1 };
            assert_eq!(units(&data).len(), expected, "byte {at}");
        }
        assert_eq!(units(&whole[..second.end()]).len(), 2);
        assert_eq!(units(&whole[..second.end() - 1]).len(), 1);
    }

    #[test]
    fn test_packed_units_are_adopted() {
        let mut data = buffer();
        for (k, unit) in (0..).zip(units(&data)) {
            unit.adopt(&mut data, |i| (100 * k + u32::try_from(i).expect("small"), 1));
        }
        let found = units(&data);
        assert_eq!((found[0].mark(&data, 1), found[1].mark(&data, 0)), ((1, 1), (100, 1)));
    }
}
