//! Staging: the doubles that MPI reads and writes for us, recycled so that a warm program allocates nothing.
#![forbid(unsafe_code)]

use std::cell::RefCell;

/// Smallest buffer in doubles; buffers come in powers of two.
const SMALLEST: usize = 16;
/// What an idle owner keeps, in doubles.
const KEPT: usize = 128;
/// Beyond this much idle memory a thread gives buffers back to the system.
const RETAINED_BYTES: usize = 256 << 20;

struct Pool {
    /// By class; as many as were ever given back. On the heap: a library that is loaded at run time has few
    /// hundred bytes for all its thread-local variables.
    free: Vec<Vec<Box<[f64]>>>,
    bytes: usize,
}

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { free: Vec::new(), bytes: 0 }) };
}

fn class_of(n: usize) -> usize {
    let rounded = n.max(SMALLEST).next_power_of_two();
    (rounded.trailing_zeros() - SMALLEST.trailing_zeros()) as usize
}

/// `n` doubles; what they hold at first is unspecified. Returns to the thread's pool when dropped.
#[derive(Default, Debug)]
pub struct Staging {
    data: Box<[f64]>,
    n: usize,
}

impl Staging {
    #[inline(never)]
    pub fn take(n: usize) -> Self {
        let class = class_of(n);
        let recycled = POOL
            .try_with(|pool| {
                let pool = &mut *pool.borrow_mut();
                let data = pool.free.get_mut(class)?.pop()?;
                pool.bytes -= size_of_val(&*data);
                Some(data)
            })
            .ok()
            .flatten();
        let data = recycled.unwrap_or_else(|| vec![0.0; SMALLEST << class].into_boxed_slice());
        Self { data, n }
    }

    /// Makes room for `n` doubles, in the present memory if that is large enough. What it holds is unspecified.
    #[inline]
    pub fn reshape(&mut self, n: usize) {
        if n <= self.data.len() {
            self.n = n;
        } else {
            *self = Self::take(n);
        }
    }

    /// Makes room for `n` doubles and keeps those that are there.
    pub fn grow(&mut self, n: usize) {
        if n > self.data.len() {
            let mut larger = Self::take(n);
            larger.data[..self.n].copy_from_slice(self.as_slice());
            *self = larger;
        }
        self.n = n;
    }

    /// Lets go of the memory, unless it is so little that its owner may as well keep it for the next time.
    #[inline]
    pub fn shrink(&mut self) {
        self.n = 0;
        if self.data.len() > KEPT {
            self.give_back();
        }
    }

    pub fn zeros(n: usize) -> Self {
        let mut staging = Self::take(n);
        staging.as_mut_slice().fill(0.0);
        staging
    }

    pub const fn len(&self) -> usize {
        self.n
    }

    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    #[inline]
    pub fn as_slice(&self) -> &[f64] {
        &self.data[..self.n]
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data[..self.n]
    }
}

impl Drop for Staging {
    #[inline]
    fn drop(&mut self) {
        if !self.data.is_empty() {
            self.give_back();
        }
    }
}

impl Staging {
    #[inline(never)]
    fn give_back(&mut self) {
        let data = std::mem::take(&mut self.data);
        let bytes = size_of_val(&*data);
        // A thread that is ending has no pool any more: then the memory goes back to the system.
        let _ = POOL.try_with(|pool| {
            let pool = &mut *pool.borrow_mut();
            if pool.bytes + bytes <= RETAINED_BYTES {
                pool.bytes += bytes;
                let class = class_of(data.len());
                if pool.free.len() <= class {
                    pool.free.resize_with(class + 1, Vec::new);
                }
                pool.free[class].push(data);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_staging_recycles_by_class() {
        let first = Staging::take(100);
        let place = first.as_slice().as_ptr();
        drop(first);
        let again = Staging::take(128);
        assert_eq!((again.as_slice().as_ptr(), again.len()), (place, 128));
        assert_ne!(Staging::take(129).as_slice().as_ptr(), place);
        assert!(Staging::take(0).is_empty());
    }

    #[test]
    fn test_staging_grows_with_what_it_holds() {
        let mut staging = Staging::default();
        for n in 0..100_u32 {
            staging.grow(crate::count::wide32(n) + 1);
            *staging.as_mut_slice().last_mut().unwrap() = f64::from(n);
        }
        assert!(staging.as_slice().iter().zip(0_u32..).all(|(&x, n)| x == f64::from(n)));
    }

    #[test]
    fn test_staging_zeros_after_use() {
        let mut used = Staging::take(32);
        used.as_mut_slice().fill(1.0);
        drop(used);
        assert!(Staging::zeros(32).as_slice().iter().all(|&x| x == 0.0));
    }
}
