//! Functions by name: numbers are a process's own, names are known to all ranks.

use crate::error::{Code, Error, Result};
use crate::tape::JobFunction;
use std::sync::{Arc, PoisonError, RwLock};

/// A function and the name by which ranks know it.
pub struct Named {
    pub name: String,
    /// A number made of the name, alike on all ranks.
    pub key: u64,
    pub function: JobFunction,
}

static FUNCTIONS: RwLock<Vec<Option<Arc<Named>>>> = RwLock::new(Vec::new());

/// FNV-1a: short names, no two alike but by an accident that `register` finds.
fn key(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Registers a function and returns its number.
pub fn register(name: &str, function: JobFunction) -> Result<i32> {
    let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
    let key = key(name);
    if let Some(other) = functions.iter().flatten().find(|other| other.key == key) {
        let text = format!("name = {name}: {} is registered already", other.name);
        return Err(Error::new(Code::Argument, text));
    }
    let named = Some(Arc::new(Named { name: name.to_owned(), key, function }));
    // Numbers are not used again: one that outlived its function is found out.
    functions.push(named);
    i32::try_from(functions.len())
        .map_err(|_| Error::new(Code::Limit, "2^31 functions have been registered"))
}

pub fn unregister(number: i32) -> Result<()> {
    let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
    let place = place(number).and_then(|at| functions.get_mut(at));
    place.and_then(Option::take).map(drop).ok_or_else(|| unknown(number))
}

/// Numbers begin with 1: a structure that was not filled in names none.
fn place(number: i32) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

fn unknown(number: i32) -> Error {
    Error::new(Code::Argument, format!("function = {number} is not registered"))
}

/// The function of a number.
pub fn numbered(number: i32) -> Result<Arc<Named>> {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    let found = place(number).and_then(|at| functions.get(at));
    found.cloned().flatten().ok_or_else(|| unknown(number))
}

/// The function that another rank means.
#[cfg(feature = "mpi")]
pub fn keyed(key: u64) -> Option<Arc<Named>> {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    functions.iter().flatten().find(|named| named.key == key).cloned()
}
