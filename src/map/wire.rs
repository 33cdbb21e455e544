//! What root and workers say to each other, in words of 64 bits.

use super::data::DataHandle;
use super::failure::Failure;
use super::shape::Parts;
use super::task::Wanted;
use crate::error::Code;
use std::ops::Range;

/// Words of an order before what it carries.
pub const HEAD: usize = 16;
/// Words that travel with an order, or with an answer, instead of in a message of their own.
pub const INLINE: usize = 512;
/// Words of an answer before the values.
pub const ANSWER: usize = 6;
/// Bytes of a failure's text.
const TEXT: usize = 1024;

/// What a worker is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Order {
    Jobs = 1,
    Keep = 2,
    Forget = 3,
    Stop = 4,
}

/// An order. What it carries follows: shared and job parameters and, where jobs differ, the ends of theirs and of the
/// results'; or data.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    pub order: Order,
    pub epoch: u64,
    pub function: u64,
    pub data: DataHandle,
    pub jobs: usize,
    pub first: usize,
    pub shared: usize,
    pub job: usize,
    pub y: usize,
    pub wanted: Wanted,
    pub by_shared: bool,
    pub by_job: bool,
    pub ragged_job: bool,
    pub ragged_y: bool,
    pub threads: usize,
    pub group: usize,
    /// Words that the order carries.
    pub carries: usize,
}

impl Head {
    pub fn of(order: Order, epoch: u64) -> Self {
        Self {
            order,
            epoch,
            function: 0,
            data: DataHandle::default(),
            jobs: 0,
            first: 0,
            shared: 0,
            job: 0,
            y: 0,
            wanted: Wanted::Each,
            by_shared: false,
            by_job: false,
            ragged_job: false,
            ragged_y: false,
            threads: 1,
            group: 1,
            carries: 0,
        }
    }

    pub fn write(&self, words: &mut Vec<u64>) {
        let flags = [self.by_shared, self.by_job, self.ragged_job, self.ragged_y];
        let bits = flags.iter().fold(self.wanted as u64, |bits, &flag| bits << 1 | u64::from(flag));
        words.extend([
            self.order as u64,
            self.epoch,
            self.function,
            u64::from(self.data.id),
            u64::from(self.data.generation),
            self.jobs as u64,
            self.first as u64,
            self.shared as u64,
            self.job as u64,
            self.y as u64,
            bits,
            self.threads as u64,
            self.group as u64,
            self.carries as u64,
            0,
            0,
        ]);
    }

    /// Of the same library on another rank.
    pub fn read(words: &[u64]) -> Self {
        let n = |at: usize| crate::count::wide(words[at]);
        let number = |at: usize| u32::try_from(words[at]).unwrap_or(0);
        let flag = |bit: u32| words[10] >> bit & 1 == 1;
        Self {
            order: match words[0] {
                1 => Order::Jobs,
                2 => Order::Keep,
                3 => Order::Forget,
                _ => Order::Stop,
            },
            epoch: words[1],
            function: words[2],
            data: DataHandle { id: number(3), generation: number(4) },
            jobs: n(5),
            first: n(6),
            shared: n(7),
            job: n(8),
            y: n(9),
            wanted: match words[10] >> 4 {
                0 => Wanted::Each,
                1 => Wanted::Sum,
                _ => Wanted::Hessians,
            },
            by_shared: flag(3),
            by_job: flag(2),
            ragged_job: flag(1),
            ragged_y: flag(0),
            threads: n(11),
            group: n(12),
            carries: n(13),
        }
    }
}

pub fn write_doubles(values: &[f64], words: &mut Vec<u64>) {
    words.extend(values.iter().map(|value| value.to_bits()));
}

pub fn read_doubles(words: &[u64], values: &mut [f64]) {
    for (value, &word) in values.iter_mut().zip(words) {
        *value = f64::from_bits(word);
    }
}

/// The ends of the parts of some jobs, from where these begin; nothing where all parts are equal.
pub fn write_ends(parts: &Parts, jobs: &Range<usize>, words: &mut Vec<u64>) {
    if let Parts::Ends(_) = parts {
        let start = parts.start(jobs.start);
        words.extend(jobs.clone().map(|i| (parts.start(i + 1) - start) as u64));
    }
}

/// How a worker's part of a call has ended: epoch, code, job, status, and the lengths of a text or of packed derivatives.
pub fn write_answer(epoch: u64, done: &Result<(), Failure>, packed: usize, words: &mut Vec<u64>) {
    let Err(failure) = done else {
        words.extend([epoch, 0, 0, 0, 0, packed as u64]);
        return;
    };
    let mut n = failure.text.len().min(TEXT);
    while !failure.text.is_char_boundary(n) {
        n -= 1;
    }
    let text = &failure.text.as_bytes()[..n];
    let job = failure.job.map_or(u64::MAX, |job| job as u64);
    let status = u64::from(failure.status.cast_unsigned());
    words.extend([
        epoch,
        u64::from((failure.code as i32).cast_unsigned()),
        job,
        status,
        n as u64,
        0,
    ]);
    words.extend(text.chunks(8).map(|bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }));
}

/// Words of the longest answer of a worker that fails.
pub const LONGEST_FAILURE: usize = ANSWER + TEXT / 8;

/// The same as the root reads it: how many words the derivatives take that are packed, or what went wrong on `rank`.
pub fn read_answer(words: &[u64], rank: i32) -> Result<usize, Failure> {
    let low = |word: u64| u32::try_from(word).unwrap_or(0).cast_signed();
    if words[1] == 0 {
        return Ok(crate::count::wide(words[5]));
    }
    let mut bytes: Vec<u8> = words[ANSWER..].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(crate::count::wide(words[4]));
    Err(Failure {
        job: (words[2] != u64::MAX).then(|| crate::count::wide(words[2])),
        rank,
        status: low(words[3]),
        code: Code::from_c(low(words[1])).unwrap_or(Code::Panic),
        text: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

/// Packs numbers many of which are zero: which ones are not, then those. False where it would not pay.
pub fn pack(values: &[f64], words: &mut Vec<u64>) -> bool {
    let some = values.iter().filter(|value| value.to_bits() != 0).count();
    let n = values.len().div_ceil(64) + some;
    words.clear();
    if n > values.len() / 4 * 3 {
        return false;
    }
    if words.try_reserve(n).is_err() {
        return false;
    }
    words.extend(values.chunks(64).map(|values| {
        let bit = |(k, value): (usize, &f64)| u64::from(value.to_bits() != 0) << k;
        values.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
    }));
    words.extend(values.iter().map(|value| value.to_bits()).filter(|&bits| bits != 0));
    true
}

pub fn unpack(words: &[u64], values: &mut [f64]) {
    let (bits, some) = words.split_at(values.len().div_ceil(64));
    let mut some = some.iter();
    for (values, bits) in values.chunks_mut(64).zip(bits) {
        for (k, value) in values.iter_mut().enumerate() {
            let is_some = bits >> k & 1 == 1;
            *value =
                if is_some { some.next().map_or(0.0, |&bits| f64::from_bits(bits)) } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_arrive_as_they_were_given() {
        let head = Head {
            function: u64::MAX - 3,
            data: DataHandle { id: 7, generation: 9 },
            jobs: 11,
            first: 12,
            shared: 13,
            job: 14,
            y: 15,
            wanted: Wanted::Hessians,
            by_shared: true,
            ragged_job: true,
            threads: 3,
            group: 4,
            carries: 1 << 40,
            ..Head::of(Order::Jobs, 77)
        };
        let mut words = Vec::new();
        head.write(&mut words);
        assert_eq!(words.len(), HEAD);
        assert_eq!(format!("{:?}", Head::read(&words)), format!("{head:?}"));
    }

    #[test]
    fn failures_arrive_with_their_text() {
        for (text, arrives) in [("é".repeat(600), 1024), ("a dose".into(), 6), (String::new(), 0)]
        {
            let failure = Failure {
                job: Some(5),
                rank: 0,
                status: -2,
                code: Code::Callback,
                text: text.clone(),
            };
            let mut words = Vec::new();
            write_answer(3, &Err(failure), 0, &mut words);
            assert!(words.len() <= LONGEST_FAILURE);
            let read = read_answer(&words, 4).unwrap_err();
            let said = (read.job, read.rank, read.status, read.code);
            assert_eq!(said, (Some(5), 4, -2, Code::Callback));
            assert_eq!(read.text, text[..arrives]);
        }
    }

    #[test]
    fn zeros_are_packed_and_negative_ones_kept() {
        for n in [0, 1, 63, 64, 65, 1000] {
            let mut values = vec![0.0; n];
            for (i, value) in values.iter_mut().enumerate().step_by(9) {
                *value = if i % 2 == 0 { -0.0 } else { f64::NAN };
            }
            let mut words = Vec::new();
            if pack(&values, &mut words) {
                let mut back = vec![1.0; n];
                unpack(&words, &mut back);
                let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&back), bits(&values));
            }
            assert_eq!(words.is_empty(), n < 63, "{n}");
        }
        assert!(!pack(&[1.0; 100], &mut Vec::new()));
    }
}
