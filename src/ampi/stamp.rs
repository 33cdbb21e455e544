//! A word that travels with the adjoints of a collective: which call of its communicator they belong to. Members that
//! reverse different calls find out by it that they do, and not by a wrong derivative.
//!
//! It is one more element before each part of a message, since MPI says nothing of a message that is shorter than
//! its room. What is summed on its way brings the sum of the members' words. The number of the call, counted from the
//! bottom of the tape or nest, tells of a call that some member has not recorded before the sweep comes to its place.

pub use super::call::Call;

use crate::error::{Code, Error, Result};
use crate::mpi::Staging;
use std::ffi::c_int;

/// Bits of a call's number and of the hash of what else its members have alike; with those of the call 32, so that the sum
/// over two million members is exact.
const NUMBER: u32 = 12;
const DETAIL: u32 = 16;
const _: () = assert!(
    Call::NAMES.len() < 1 << (32 - NUMBER - DETAIL),
    "every call has a number in the bits that are left"
);

/// The number of a call whose messages have a tag of its own instead.
pub const UNNUMBERED: u32 = (1 << NUMBER) - 1;

/// What the members of one collective of adjoints have alike.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stamp(u32);

impl Stamp {
    /// That of the `number`th call recorded on its communicator, with the `signature` of its rule, in so many directions.
    pub fn new(call: Call, signature: [i64; 3], number: u32, width: usize) -> Self {
        let detail = signature.into_iter().fold(width as u64, |hash, word| {
            // The golden ratio mixes upwards, the rotation downwards.
            (hash ^ word.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
        });
        let detail = u32::try_from(detail >> (64 - DETAIL)).unwrap_or(0);
        let number = number & UNNUMBERED;
        Self((call as u32 + 1) << (NUMBER + DETAIL) | number << DETAIL | detail)
    }

    pub fn word(self) -> f64 {
        f64::from(self.0)
    }

    /// Writes it before each of the `parts`, which have so many elements of `columns` doubles.
    pub fn put(self, data: &mut [f64], parts: impl IntoIterator<Item = usize>, columns: usize) {
        let mut at = 0;
        for n in parts {
            data[at..at + columns].fill(self.word());
            at += (1 + n) * columns;
        }
    }

    /// Checks those before each of the parts.
    pub fn check_parts(
        self,
        data: &[f64],
        parts: impl IntoIterator<Item = usize>,
        columns: usize,
    ) -> Result<()> {
        let mut at = 0;
        for n in parts {
            self.check(data[at], 1)?;
            at += (1 + n) * columns;
        }
        Ok(())
    }

    /// An error unless `found` is the sum of the words of so many `members` who reverse this call.
    #[inline]
    pub fn check(self, found: f64, members: usize) -> Result<()> {
        let expected = f64::from(u32::try_from(members).unwrap_or(u32::MAX)) * self.word();
        if found == expected { Ok(()) } else { Err(self.differs(found, members)) }
    }

    #[cold]
    fn differs(self, found: f64, members: usize) -> Error {
        let other = match Self::from_word(found).filter(|_| members == 1) {
            Some(other) if other.place() == self.place() => {
                ", and another member one with another root, operation, count or number of directions".to_owned()
            }
            Some(other) => format!(", and another member {}", other.describe()),
            None => ", and not all members do".to_owned(),
        };
        Error::new(
            Code::Mismatch,
            format!("this rank reverses {}{other}: {ALIKE}", self.describe()),
        )
    }

    /// The error of a message whose length is another.
    #[cold]
    pub fn other_length(self, rank: c_int) -> Error {
        let this = self.describe();
        let text =
            format!("this rank reverses {this}, and rank {rank} a call of another length: {ALIKE}");
        Error::new(Code::Mismatch, text)
    }

    fn from_word(word: f64) -> Option<Self> {
        let bits = (0.0..=f64::from(u32::MAX)).contains(&word).then_some(word)?;
        // Checked to be one that fits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let stamp = Self(bits as u32);
        (stamp.word() == word && stamp.call().is_some()).then_some(stamp)
    }

    fn call(self) -> Option<&'static str> {
        let place = (self.0 >> (NUMBER + DETAIL)).checked_sub(1)?;
        Call::NAMES.get(crate::count::wide32(place)).copied()
    }

    /// The call and its number.
    const fn place(self) -> u32 {
        self.0 >> DETAIL
    }

    fn describe(self) -> String {
        let call = self.call().unwrap_or("collective");
        match self.place() & UNNUMBERED {
            UNNUMBERED => format!("its {call}"),
            n => format!("its {call}, recorded as collective number {} of the communicator", n + 1),
        }
    }
}

/// Memory for `n` elements behind a stamp, which is none before it comes.
pub fn room(n: usize, columns: usize) -> Staging {
    let mut room = Staging::take((1 + n) * columns);
    room.as_mut_slice()[..columns].fill(0.0);
    room
}

/// Moves the parts together, over the stamps before them.
pub fn join(data: &mut [f64], parts: impl IntoIterator<Item = usize>, columns: usize) {
    let (mut from, mut to) = (0, 0);
    for n in parts {
        let part = from + columns..from + (1 + n) * columns;
        from = part.end;
        data.copy_within(part, to);
        to += n * columns;
    }
}

/// What a program must do.
pub const ALIKE: &str = "all members must record a collective on active data with the same root, operation and counts, or none of them; ADMPI_CHECK=1 in the environment names the calls";

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(number: u32) -> Stamp {
        Stamp::new(Call::Gather, [1, -1, 3], number, 2)
    }

    #[test]
    fn a_stamp_is_known_by_all_that_members_have_alike() {
        let others = [
            stamp(6),
            Stamp::new(Call::Scatter, [1, -1, 3], 5, 2),
            Stamp::new(Call::Gather, [0, -1, 3], 5, 2),
            Stamp::new(Call::Gather, [1, 0, 3], 5, 2),
            Stamp::new(Call::Gather, [1, -1, 4], 5, 2),
            Stamp::new(Call::Gather, [1, -1, 3], 5, 1),
        ];
        assert!(stamp(5).check(stamp(5).word(), 1).is_ok());
        for other in others {
            let error = stamp(5).check(other.word(), 1).expect_err("another call");
            assert_eq!(error.code, Code::Mismatch);
            assert!(
                error.message.contains("its Gather, recorded as collective number 6 "),
                "{}",
                error.message
            );
        }
        let scatter = stamp(5).check(others[1].word(), 1).expect_err("another call");
        assert!(
            scatter
                .message
                .contains("another member its Scatter, recorded as collective number 6 ")
        );
    }

    #[test]
    fn sums_of_stamps_are_exact() {
        let members = 1 << 21;
        let top = Stamp(u32::MAX);
        assert!(top.check(top.word() * f64::from(1 << 21), members).is_ok());
        assert!(top.check(top.word() * f64::from(1 << 21) - 1.0, members).is_err());
        for strange in [f64::NAN, -1.0, 0.5, f64::INFINITY, 0.0] {
            assert!(stamp(1).check(strange, 1).is_err());
        }
    }

    #[test]
    fn parts_behind_stamps_are_moved_together() {
        let mut data: Vec<f64> = (0..12).map(f64::from).collect();
        stamp(1).put(&mut data, [1, 0, 2], 2);
        assert!(stamp(1).check_parts(&data, [1, 0, 2], 2).is_ok());
        assert!(stamp(2).check_parts(&data, [1, 0, 2], 2).is_err());
        join(&mut data, [1, 0, 2], 2);
        assert_eq!(data[..6], [2.0, 3.0, 8.0, 9.0, 10.0, 11.0]);
    }
}
