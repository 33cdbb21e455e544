//! Lists that a call makes for itself, one entry a rank: their memory is used again, so that a warm program allocates
//! none.
#![forbid(unsafe_code)]

use super::Serial;
use std::ffi::c_int;
use std::ops::{Deref, DerefMut};

/// Lists of a kind that are kept while nobody uses them, at most.
pub const KEPT: usize = 16;

/// What lists may hold.
pub trait Listable: Sized + 'static {
    /// Memory that waits for the next list.
    fn idle() -> &'static Serial<Vec<Vec<Self>>>;
}

/// Makes types listable.
macro_rules! listable {
    ($($type:ty),*) => {$(
        impl $crate::mpi::list::Listable for $type {
            fn idle() -> &'static $crate::mpi::Serial<Vec<Vec<Self>>> {
                static IDLE: $crate::mpi::Serial<Vec<Vec<$type>>> =
                    $crate::mpi::Serial::new(Vec::new());
                &IDLE
            }
        }
    )*};
}
pub(crate) use listable;

listable!(u64, c_int);

/// A list whose memory goes back where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct List<T: Listable>(Vec<T>);

impl<T: Listable> List<T> {
    /// Takes all out, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = T> + '_ {
        self.0.drain(..)
    }

    pub fn retain(&mut self, f: impl FnMut(&T) -> bool) {
        self.0.retain(f);
    }

    /// The memory of another one, if there is none yet.
    fn memory(&mut self) -> &mut Vec<T> {
        if self.0.capacity() == 0 {
            self.0 = T::idle().with(Vec::pop).unwrap_or_default();
        }
        &mut self.0
    }
}

impl<T: Listable> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Listable> Extend<T> for List<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.memory().extend(items);
    }
}

impl<T: Listable> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::default();
        list.extend(items);
        list
    }
}

impl<T: Listable> Deref for List<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Listable> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Listable> Drop for List<T> {
    #[inline]
    fn drop(&mut self) {
        if self.0.capacity() > 0 {
            self.give_back();
        }
    }
}

impl<T: Listable> List<T> {
    #[inline(never)]
    fn give_back(&mut self) {
        let mut memory = std::mem::take(&mut self.0);
        memory.clear();
        T::idle().keep(memory, KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_list_uses_memory_again() {
        struct Own(#[allow(dead_code)] u8);
        listable!(Own);
        let first: List<Own> = (0..100).map(Own).collect();
        let place = first.as_ptr();
        drop(first);
        let mut again: List<Own> = (0..50).map(Own).collect();
        assert_eq!((again.as_ptr(), again.len()), (place, 50));
        assert_eq!(again.drain().count(), 50);
        let lists: Vec<List<Own>> = (0..2 * KEPT).map(|_| [Own(1)].into_iter().collect()).collect();
        drop(lists);
        assert_eq!(Own::idle().with(|idle| idle.len()), KEPT);
    }
}
