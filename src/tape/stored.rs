//! Slices in the payload arena, by handle: an event names its arrays without holding a pointer.

use super::Tape;
use crate::count::{wide, wide32};
use crate::error::Result;
use std::marker::PhantomData;
use std::ops::Range;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
    impl Sealed for u64 {}
    impl Sealed for i64 {}
    impl Sealed for f64 {}
}

/// Plain numbers, for which every pattern of bits is a value.
pub trait Pod: Copy + Default + 'static + sealed::Sealed {}
impl<T: Copy + Default + 'static + sealed::Sealed> Pod for T {}

/// `n` values of `T` in the payload arena of the tape that made the handle.
#[derive(Debug)]
pub struct Stored<T> {
    offset: u64,
    n: u64,
    kind: PhantomData<fn() -> T>,
}

impl<T> Stored<T> {
    pub const fn len(&self) -> usize {
        wide(self.n)
    }

    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Some of them.
    fn part(&self, range: Range<usize>) -> Self {
        let before = (range.start * size_of::<T>()) as u64;
        Self { offset: self.offset + before, n: range.len() as u64, kind: PhantomData }
    }
}

impl<T> Clone for Stored<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Stored<T> {}

/// The ids of a sequence of values: a range where they are one, as for matrices and received messages.
#[derive(Debug, Clone, Copy)]
pub enum Ids {
    /// None is active; the length still counts.
    Passive(usize),
    Range {
        first: u32,
        n: u32,
    },
    List(Stored<u32>),
}

impl Ids {
    /// Consecutive ones, or none if `first` is 0.
    pub fn in_a_row(first: u32, n: usize) -> Self {
        match (first, u32::try_from(n)) {
            (0, _) => Self::Passive(n),
            (_, Ok(n)) => Self::Range { first, n },
            (_, Err(_)) => unreachable!("more ids than the id space holds"),
        }
    }

    pub const fn len(&self) -> usize {
        match self {
            Self::Passive(n) => *n,
            Self::Range { n, .. } => wide32(*n),
            Self::List(ids) => ids.len(),
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of some of the values.
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "a part of them");
        match self {
            Self::Passive(_) => Self::Passive(range.len()),
            Self::Range { first, .. } => {
                let narrow = |n| u32::try_from(n).expect("ids that were given out");
                Self::Range { first: first + narrow(range.start), n: narrow(range.len()) }
            }
            Self::List(list) => Self::List(list.part(range)),
        }
    }
}

/// Where stored slices are read: on a tape that records, or in its sweep.
pub trait Store {
    fn read<T: Pod>(&self, slice: &Stored<T>) -> &[T];
}

impl Store for Tape {
    fn read<T: Pod>(&self, slice: &Stored<T>) -> &[T] {
        self.stored(slice)
    }
}

impl Tape {
    /// `n` numbers in the payload arena; which ones they are at first is unspecified.
    pub fn reserve<T: Pod>(&mut self, n: usize) -> Result<Stored<T>> {
        let bytes = crate::count::product("payload", n, size_of::<T>())?;
        let offset = self.allocate(bytes, align_of::<T>())?;
        Ok(Stored { offset, n: n as u64, kind: PhantomData })
    }

    /// `n` zeros in the payload arena.
    pub fn store<T: Pod>(&mut self, n: usize) -> Result<Stored<T>> {
        let slice = self.reserve(n)?;
        self.stored_mut(&slice).fill(T::default());
        Ok(slice)
    }

    /// A copy of `values` in the payload arena.
    pub fn store_from<T: Pod>(&mut self, values: &[T]) -> Result<Stored<T>> {
        let slice = self.reserve(values.len())?;
        self.stored_mut(&slice).copy_from_slice(values);
        Ok(slice)
    }

    pub fn stored<T: Pod>(&self, slice: &Stored<T>) -> &[T] {
        self.check_stored(slice);
        // SAFETY: inside the used part of the arena, aligned at allocation, and any bits are a `T`.
        unsafe { std::slice::from_raw_parts(self.payload_at(slice.offset).cast(), slice.len()) }
    }

    pub fn stored_mut<T: Pod>(&mut self, slice: &Stored<T>) -> &mut [T] {
        self.check_stored(slice);
        // SAFETY: as in `stored`, and the tape is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.payload_at(slice.offset).cast(), slice.len()) }
    }

    /// A handle of another tape, or one that outlived a reset, must not reach foreign memory.
    fn check_stored<T>(&self, slice: &Stored<T>) {
        let end = wide(slice.offset) + slice.len() * size_of::<T>();
        assert!(
            end <= self.payload_used && slice.offset.is_multiple_of(align_of::<T>() as u64),
            "a handle that is not of this tape"
        );
    }

    /// The ids of `n` values that have been checked: a range if they are consecutive, nothing if all are passive, else a list.
    pub fn ids(&mut self, n: usize, mut id_of: impl Iterator<Item = u32>) -> Result<Ids> {
        let Some(first) = id_of.next() else { return Ok(Ids::Passive(0)) };
        let step = u32::from(first != 0);
        let mut next = first;
        let mut run = 1usize;
        let broke = loop {
            let Some(id) = id_of.next() else { break None };
            next = next.wrapping_add(step);
            if id != next {
                break Some(id);
            }
            run += 1;
        };
        let Some(other) = broke else {
            debug_assert_eq!(run, n);
            return Ok(Ids::in_a_row(first, n));
        };
        let list = self.reserve::<u32>(n)?;
        let ids = self.stored_mut(&list);
        let mut id = first;
        for slot in &mut ids[..run] {
            *slot = id;
            id = id.wrapping_add(step);
        }
        ids[run] = other;
        for (slot, id) in ids[run + 1..].iter_mut().zip(id_of) {
            *slot = id;
        }
        Ok(Ids::List(list))
    }
}
