//! Functions by name: numbers are a process's own, names are known to all ranks.

use crate::error::{Code, Error, Result};
use crate::tape::JobFunction;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A function and the name by which ranks know it.
pub struct Named {
    pub name: String,
    /// A number made of the name, alike on all ranks.
    pub key: u64,
    pub function: JobFunction,
    pub trial: Arc<Trial>,
}

/// The first jobs of a function that record in this process. Their operands are checked: a function that uses an active value of
/// somebody else's, which is a wrong derivative at best, mostly does so in every job.
#[derive(Default)]
pub struct Trial {
    over: AtomicBool,
}

impl Trial {
    /// Two: the second may use what the first has left.
    const JOBS: usize = 2;

    /// How many of the jobs that begin now are on trial.
    #[inline(always)]
    pub fn begin(&self) -> usize {
        if self.over.load(Ordering::Relaxed) || self.over.swap(true, Ordering::Relaxed) {
            0
        } else {
            Self::JOBS
        }
    }

    /// One of them has failed.
    pub fn again(&self) {
        self.over.store(false, Ordering::Relaxed);
    }
}

/// Those that are registered, by number and by key.
struct Functions {
    last: i32,
    numbered: BTreeMap<i32, Arc<Named>>,
    keyed: BTreeMap<u64, Arc<Named>>,
    /// By the function's place in memory: those without a name are registered anew for every call.
    trials: BTreeMap<usize, Arc<Trial>>,
}

static FUNCTIONS: RwLock<Functions> = RwLock::new(Functions {
    last: 0,
    numbered: BTreeMap::new(),
    keyed: BTreeMap::new(),
    trials: BTreeMap::new(),
});

/// FNV-1a: short names, no two alike but by an accident that `register` finds.
fn key(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Registers a function and returns its number: of numbers that nobody has that after the last, so that one that outlived its
/// function is found out. They begin with 1: a structure that was not filled in names none.
pub fn register(name: &str, function: JobFunction) -> Result<i32> {
    let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
    let Functions { last, numbered, keyed, trials } = &mut *functions;
    let key = key(name);
    if let Some(other) = keyed.get(&key) {
        let text = format!("name = {name}: {} is registered already", other.name);
        return Err(Error::new(Code::Argument, text));
    }
    let trial = Arc::clone(trials.entry(function.function as usize).or_default());
    let named = Arc::new(Named { name: name.to_owned(), key, function, trial });
    loop {
        *last = if *last == i32::MAX { 1 } else { *last + 1 };
        if let Entry::Vacant(place) = numbered.entry(*last) {
            place.insert(Arc::clone(&named));
            break;
        }
    }
    keyed.insert(key, named);
    Ok(*last)
}

pub fn unregister(number: i32) -> Result<()> {
    let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
    let named = functions.numbered.remove(&number).ok_or_else(|| unknown(number))?;
    functions.keyed.remove(&named.key);
    Ok(())
}

fn unknown(number: i32) -> Error {
    Error::new(Code::Argument, format!("function = {number} is not registered"))
}

/// The function of a number.
pub fn numbered(number: i32) -> Result<Arc<Named>> {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    functions.numbered.get(&number).cloned().ok_or_else(|| unknown(number))
}

/// The function that another rank means.
#[cfg(feature = "mpi")]
pub fn keyed(key: u64) -> Option<Arc<Named>> {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    functions.keyed.get(&key).cloned()
}
