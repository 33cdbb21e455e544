//! Static data: what every job has beside its parameters, shipped once.

use super::room::collect;
#[cfg(feature = "mpi")]
use super::room::reserve;
use super::shape::{OwnedParts, Parts};
use crate::error::{Code, Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// What a program calls data by: every update makes a new generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DataHandle {
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
    pub handle: DataHandle,
    pub jobs: usize,
    x_r: Vec<f64>,
    r: OwnedParts,
    x_i: Vec<i32>,
    i: OwnedParts,
    pub shared_r: Vec<f64>,
    pub shared_i: Vec<i32>,
}

impl Data {
    pub fn new(handle: DataHandle, source: &Source) -> Result<Self> {
        Ok(Self {
            handle,
            jobs: source.jobs,
            x_r: copy(source.x_r)?,
            r: OwnedParts::new(&source.r)?,
            x_i: copy(source.x_i)?,
            i: OwnedParts::new(&source.i)?,
            shared_r: copy(source.shared_r)?,
            shared_i: copy(source.shared_i)?,
        })
    }

    /// The data of one job.
    #[inline]
    pub fn of(&self, job: usize) -> (&[f64], &[i32]) {
        (&self.x_r[self.r.parts().range(job)], &self.x_i[self.i.parts().range(job)])
    }
}

/// Data that this process knows, and by which service's workers they are known too (0: by none).
struct Entry {
    data: Arc<Data>,
    service: u64,
}

static KNOWN: RwLock<Vec<Entry>> = RwLock::new(Vec::new());
static NEXT: AtomicU32 = AtomicU32::new(1);

/// A handle for new data.
pub fn new_handle() -> DataHandle {
    DataHandle { id: NEXT.fetch_add(1, Ordering::Relaxed), generation: 1 }
}

/// Adds data, or puts them in the place of an earlier generation.
pub fn keep(data: Arc<Data>, service: u64) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.retain(|entry| entry.data.handle.id != data.handle.id);
    known.push(Entry { data, service });
}

pub fn forget(handle: DataHandle) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.retain(|entry| entry.data.handle.id != handle.id);
}

/// The data of a handle of the present generation, and the service whose workers know them; {0, 0} is none.
pub fn find(handle: DataHandle) -> Result<Option<(Arc<Data>, u64)>> {
    if handle == DataHandle::default() {
        return Ok(None);
    }
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let Some(Entry { data, service }) =
        known.iter().find(|entry| entry.data.handle.id == handle.id)
    else {
        let text = format!(
            "data.id = {} is not a handle of data in this process, or the data were freed",
            handle.id
        );
        return Err(Error::new(Code::Argument, text));
    };
    let present = data.handle.generation;
    if present != handle.generation {
        let DataHandle { id, generation } = handle;
        let text = format!(
            "data.generation = {generation}, but the data of id {id} have generation {present}; use the handle of the last update"
        );
        return Err(Error::new(Code::Stale, text));
    }
    Ok(Some((data.clone(), *service)))
}

fn copy<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    collect(values.len(), values.iter().copied())
}

/// Numbers at the beginning of data's words.
#[cfg(feature = "mpi")]
const COUNTS: usize = 7;

#[cfg(feature = "mpi")]
impl Data {
    /// As words: counts, ends where jobs differ, doubles, and integers two a word.
    pub fn words(&self) -> Result<Vec<u64>> {
        let (r, i) = (self.r.ends(), self.i.ends());
        let mut words = Vec::new();
        let doubles = self.x_r.len() + self.shared_r.len();
        let integers = self.x_i.len().div_ceil(2) + self.shared_i.len().div_ceil(2);
        reserve(&mut words, COUNTS + r.len() + i.len() + doubles + integers)?;
        words.extend([
            self.jobs as u64,
            self.x_r.len() as u64,
            self.x_i.len() as u64,
            self.shared_r.len() as u64,
            self.shared_i.len() as u64,
            r.len() as u64,
            i.len() as u64,
        ]);
        words.extend(r.iter().chain(i).map(|end| end.cast_unsigned()));
        words.extend(self.x_r.iter().chain(&self.shared_r).map(|value| value.to_bits()));
        for integers in [&self.x_i, &self.shared_i] {
            words.extend(integers.chunks(2).map(|pair| {
                let low = |k: usize| u64::from(pair.get(k).map_or(0, |n| n.cast_unsigned()));
                low(0) | low(1) << 32
            }));
        }
        Ok(words)
    }

    pub fn read(handle: DataHandle, words: &[u64]) -> Result<Self> {
        let (counts, mut rest) = words.split_at(COUNTS);
        let mut next = |n: usize| {
            let words;
            (words, rest) = rest.split_at(n);
            words
        };
        let [jobs, n_r, n_i, n_shared_r, n_shared_i, r, i] =
            std::array::from_fn(|k| crate::count::wide(counts[k]));
        let ends = |words: &[u64]| collect(words.len(), words.iter().map(|end| end.cast_signed()));
        let doubles =
            |words: &[u64]| collect(words.len(), words.iter().map(|&bits| f64::from_bits(bits)));
        let integers = |words: &[u64], n: usize| {
            let low = |word: u64| u32::try_from(word & 0xffff_ffff).unwrap_or(0).cast_signed();
            collect(n, words.iter().flat_map(|&word| [low(word), low(word >> 32)]).take(n))
        };
        let (r, i) = (ends(next(r))?, ends(next(i))?);
        Ok(Self {
            handle,
            jobs,
            x_r: doubles(next(n_r))?,
            shared_r: doubles(next(n_shared_r))?,
            x_i: integers(next(n_i.div_ceil(2)), n_i)?,
            shared_i: integers(next(n_shared_i.div_ceil(2)), n_shared_i)?,
            r: OwnedParts::of(n_r, jobs, r),
            i: OwnedParts::of(n_i, jobs, i),
        })
    }
}
