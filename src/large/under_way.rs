//! The arrays of nonblocking operations, which live until MPI gives up the types in them.

use crate::mpi::arrays::Lists;
use crate::mpi::{Datatype, MpiResult, TypeAttribute};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The arrays of operations under way, by the number on their witness; and those whose witness has gone.
/// They are not freed at once: MPI reads them while it releases the types.
#[derive(Default)]
struct UnderWay {
    last: usize,
    lists: Option<HashMap<usize, Lists>>,
    gone: Vec<usize>,
}

static UNDER_WAY: Mutex<UnderWay> = Mutex::new(UnderWay { last: 0, lists: None, gone: Vec::new() });
static KEY: OnceLock<TypeAttribute> = OnceLock::new();

fn under_way() -> std::sync::MutexGuard<'static, UnderWay> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn witness_gone(number: usize) {
    under_way().gone.push(number);
}

/// Gives the type that MPI releases last of an operation's the number of its arrays.
pub fn mark(witness: Datatype) -> MpiResult<usize> {
    let key = match KEY.get() {
        Some(&key) => key,
        None => {
            let key = TypeAttribute::new(witness_gone)?;
            *KEY.get_or_init(|| key)
        }
    };
    let number = {
        let mut table = under_way();
        table.last += 1;
        table.last
    };
    key.set(witness, number)?;
    Ok(number)
}

/// Keeps the arrays until their witness is gone. Their heap memory stays where it is while they move.
pub fn keep(number: usize, lists: Lists) {
    under_way().lists.get_or_insert_with(HashMap::new).insert(number, lists);
}

/// Frees the arrays of operations that are complete.
pub fn sweep() {
    let mut table = under_way();
    if table.gone.is_empty() {
        return;
    }
    let gone = std::mem::take(&mut table.gone);
    let Some(lists) = table.lists.as_mut() else { return };
    let freed: Vec<_> = gone.iter().filter_map(|number| lists.remove(number)).collect();
    drop(table);
    drop(freed); // outside the lock
}
