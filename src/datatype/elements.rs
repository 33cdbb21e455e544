//! Values that lie side by side elsewhere than at the buffer's address, with ids beside them: elements of a matrix, or numbers
//! of another AD tool.

use crate::count::wide32;
use crate::error::{Code, Error, Result};
use crate::foreign::Numbers;
use crate::matrix::{ElementBuffer, Id};
use crate::tape::Var;

#[derive(Debug, Clone)]
pub enum Elements {
    OfMatrix(ElementBuffer),
    Numbers(NumberBuffer),
}

impl Elements {
    /// The values, if they lie side by side.
    pub fn values(&self) -> Option<&[f64]> {
        match self {
            Self::OfMatrix(elements) => elements.values(),
            Self::Numbers(numbers) => Some(numbers.values()),
        }
    }

    /// Keeps the values where they are while MPI reads them; false where that cannot be.
    pub fn hold(&mut self) -> bool {
        match self {
            Self::OfMatrix(elements) => elements.hold(),
            // They stay until the call is complete.
            Self::Numbers(_) => true,
        }
    }

    /// The first of the ids if they are consecutive, 0 if no value is active; else none.
    pub fn range(&self) -> Option<u32> {
        match self {
            Self::OfMatrix(elements) => elements.range(),
            Self::Numbers(numbers) => Some(numbers.id(0)),
        }
    }

    /// Calls `f` with copies of the first `n`, some at a time.
    pub fn each(&self, n: usize, mut f: impl FnMut(*mut Var, usize)) {
        match self {
            Self::OfMatrix(elements) => elements.each(n, f),
            Self::Numbers(numbers) => {
                for (i, &value) in numbers.values()[..n].iter().enumerate() {
                    let mut var = Var { value, id: numbers.id(i), tag: numbers.numbers().tag };
                    f(&raw mut var, 1);
                }
            }
        }
    }

    /// Writes scalars, ids and all, from the beginning on.
    pub fn set(&self, vars: &[Var]) -> Result<()> {
        match self {
            Self::OfMatrix(elements) => elements.set(vars),
            Self::Numbers(_) => Err(only_messages()),
        }
    }

    /// Writes what has arrived from the `from`th value on, with consecutive ids from `id` on, or none if that is passive.
    pub fn put(&mut self, from: usize, values: &[f64], id: Id) -> Result<()> {
        match self {
            Self::OfMatrix(elements) => elements.put(from, values, id),
            Self::Numbers(_) if from > 0 => Err(only_messages()),
            Self::Numbers(numbers) => {
                numbers.values_mut()[..values.len()].copy_from_slice(values);
                numbers.settle(values.len(), id);
                Ok(())
            }
        }
    }

    /// Lets values arrive where they are to stay, if that may be: `place` tells where. `at_once`: the program waits for
    /// them.
    pub fn lend(&mut self, at_once: bool) -> Result<()> {
        match self {
            Self::OfMatrix(elements) => elements.lend(at_once),
            Self::Numbers(_) => Ok(()),
        }
    }

    /// Where the values are to arrive, once `lend` has said so.
    pub fn place(&mut self) -> Option<*mut f64> {
        match self {
            Self::OfMatrix(elements) => elements.place(),
            Self::Numbers(numbers) => Some(numbers.values_mut().as_mut_ptr()),
        }
    }

    /// Whether values arrive where they are to stay.
    pub const fn is_lent(&self) -> bool {
        match self {
            Self::OfMatrix(elements) => elements.is_lent(),
            Self::Numbers(_) => true,
        }
    }

    /// The first `n` values have arrived there. Ids as for `put`.
    pub fn settle(&mut self, n: usize, id: Id) -> Result<()> {
        match self {
            Self::OfMatrix(elements) => elements.settle(n, id),
            Self::Numbers(numbers) => {
                numbers.settle(n, id);
                Ok(())
            }
        }
    }

    /// What has arrived are no values of the program's: those that may have been overwritten are passive.
    pub fn spoil(&mut self) {
        match self {
            Self::OfMatrix(elements) => elements.spoil(),
            Self::Numbers(numbers) => numbers.settle(numbers.n, Id::default()),
        }
    }
}

#[cold]
fn only_messages() -> Error {
    Error::new(Code::Unsupported, "numbers of another AD tool are buffers of messages only")
}

/// All of the numbers, which live as long as the call, also one that has started.
#[derive(Debug, Clone)]
pub struct NumberBuffer {
    of: *mut Numbers,
    n: usize,
}

// SAFETY: numbers belong to the call, which is on one thread at a time.
unsafe impl Send for NumberBuffer {}

impl NumberBuffer {
    /// # Safety
    /// `of` is live until the call is complete, and nobody else uses it or what it leads to.
    pub unsafe fn new(name: &str, of: *mut Numbers, first: i64, n: usize) -> Result<Self> {
        // SAFETY: the caller's promise.
        let all = unsafe { (*of).n };
        if first != 0 || n > all {
            let why =
                format!("{name}: {n} numbers from the {first}th on are not those of the call");
            return Err(Error::new(Code::Range, why));
        }
        Ok(Self { of, n })
    }

    const fn numbers(&self) -> &Numbers {
        // SAFETY: the promise of `new`.
        unsafe { &*self.of }
    }

    fn values(&self) -> &[f64] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.numbers().values, self.n) }
    }

    fn values_mut(&mut self) -> &mut [f64] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.numbers().values, self.n) }
    }

    fn id(&self, i: usize) -> u32 {
        let first = self.numbers().first;
        if first == 0 { 0 } else { u32::try_from(wide32(first) + i).unwrap_or(u32::MAX) }
    }

    fn settle(&mut self, n: usize, id: Id) {
        // SAFETY: as above.
        unsafe { (*self.of).arrived = Some((n, id.id)) };
    }
}
