//! Static data: what every job has beside its parameters, shipped once.

use super::shape::{OwnedParts, Parts};
use crate::error::{Code, Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// What a program calls data by: every update makes a new generation.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Handle {
    pub id: u32,
    pub generation: u32,
}

/// What data are made of.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub jobs: usize,
    pub x_r: &'a [f64],
    pub r: Parts<'a>,
    pub x_i: &'a [i32],
    pub i: Parts<'a>,
    pub shared_r: &'a [f64],
    pub shared_i: &'a [i32],
}

#[derive(Debug)]
pub struct Data {
    pub handle: Handle,
    pub jobs: usize,
    x_r: Vec<f64>,
    r: OwnedParts,
    x_i: Vec<i32>,
    i: OwnedParts,
    pub shared_r: Vec<f64>,
    pub shared_i: Vec<i32>,
}

impl Data {
    pub fn new(handle: Handle, source: &Source) -> Self {
        Self {
            handle,
            jobs: source.jobs,
            x_r: source.x_r.to_vec(),
            r: source.r.into(),
            x_i: source.x_i.to_vec(),
            i: source.i.into(),
            shared_r: source.shared_r.to_vec(),
            shared_i: source.shared_i.to_vec(),
        }
    }

    /// The data of one job.
    #[inline]
    pub fn of(&self, job: usize) -> (&[f64], &[i32]) {
        (&self.x_r[self.r.parts().range(job)], &self.x_i[self.i.parts().range(job)])
    }
}

/// The data that this process knows.
static KNOWN: RwLock<Vec<Arc<Data>>> = RwLock::new(Vec::new());
static NEXT: AtomicU32 = AtomicU32::new(1);

/// A handle for new data.
pub fn new_handle() -> Handle {
    Handle { id: NEXT.fetch_add(1, Ordering::Relaxed), generation: 1 }
}

/// Adds data, or puts them in the place of an earlier generation.
pub fn keep(data: Arc<Data>) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.retain(|other| other.handle.id != data.handle.id);
    known.push(data);
}

pub fn forget(handle: Handle) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.retain(|data| data.handle.id != handle.id);
}

/// The data of a handle of the present generation; {0, 0} is none.
pub fn find(handle: Handle) -> Result<Option<Arc<Data>>> {
    if handle == Handle::default() {
        return Ok(None);
    }
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let Some(data) = known.iter().find(|data| data.handle.id == handle.id) else {
        let text = format!("data.id = {} are no data of this process, or were freed", handle.id);
        return Err(Error::new(Code::Argument, text));
    };
    let present = data.handle.generation;
    if present != handle.generation {
        let Handle { id, generation } = handle;
        let text = format!(
            "data.generation = {generation}, but the data of id {id} are of generation {present}"
        );
        return Err(Error::new(Code::Stale, text));
    }
    Ok(Some(data.clone()))
}
