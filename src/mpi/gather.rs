//! Words of which each rank has another number, gathered on one. A collective on a user's communicator, so that it meets no
//! message.

use super::{Comm, Datatype, MpiResult, check, ffi, wide_int};
use crate::error::{Code, Error};
use std::ffi::c_int;

/// The words of each rank on rank `root`, and nothing elsewhere.
pub fn gather_words(comm: Comm, words: &[u64], root: c_int) -> MpiResult<Option<Vec<Vec<u64>>>> {
    let ranks = wide_int(comm.size()?);
    let mut lengths = vec![0u64; ranks];
    let ones = vec![1; ranks];
    let places: Vec<c_int> = (0..).take(ranks).collect();
    gatherv(comm, &[words.len() as u64], &mut lengths, (&ones, &places), root)?;
    let is_root = comm.rank()? == root;
    let (mut counts, mut places, mut total) = (Vec::new(), Vec::new(), 0u64);
    for &n in &lengths {
        counts.push(narrow(n)?);
        places.push(narrow(total)?);
        total += n;
    }
    let mut all = vec![0; crate::count::wide(total)];
    gatherv(comm, words, &mut all, (&counts, &places), root)?;
    let mut rest = &all[..];
    let own = |&n: &u64| {
        let (own, others) = rest.split_at(crate::count::wide(n));
        rest = others;
        own.to_vec()
    };
    Ok(is_root.then(|| lengths.iter().map(own).collect()))
}

fn narrow(n: u64) -> MpiResult<c_int> {
    c_int::try_from(n).map_err(|_| {
        Error::new(Code::Limit, format!("{n} words are too many to be gathered on a rank")).into()
    })
}

fn gatherv(
    comm: Comm,
    own: &[u64],
    all: &mut [u64],
    (counts, places): (&[c_int], &[c_int]),
    root: c_int,
) -> MpiResult<()> {
    let (n, word) = (narrow(own.len() as u64)?, Datatype::word().raw());
    // SAFETY: a live communicator, so many words, and on the root as many as the counts say, one behind the other.
    check(unsafe {
        ffi::MPI_Gatherv(
            own.as_ptr().cast(),
            n,
            word,
            all.as_mut_ptr().cast(),
            counts.as_ptr(),
            places.as_ptr(),
            word,
            root,
            comm.raw(),
        )
    })
}
