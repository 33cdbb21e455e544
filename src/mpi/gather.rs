//! Words of which each rank has another number, gathered on one, or from each to each. A collective on a user's communicator, so that it meets no
//! message.

use super::transfer::allreduce_min;
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

/// The words that each rank has for this one. `out` has those for each.
pub fn exchange_words(comm: Comm, out: &[Vec<u64>]) -> MpiResult<Vec<Vec<u64>>> {
    let lengths: Vec<u64> = out.iter().map(|words| words.len() as u64).collect();
    let ones = vec![1; out.len()];
    let places: Vec<c_int> = (0..).take(out.len()).collect();
    let mut incoming = vec![0; out.len()];
    alltoallv(comm, (&lengths, &ones, &places), (&mut incoming, &ones, &places))?;
    let laid_out = |lengths: &[u64]| -> MpiResult<(Vec<c_int>, Vec<c_int>, u64)> {
        let (mut counts, mut places, mut total) = (Vec::new(), Vec::new(), 0u64);
        for &n in lengths {
            counts.push(narrow(n)?);
            places.push(narrow(total)?);
            total += n;
        }
        narrow(total)?;
        Ok((counts, places, total))
    };
    // Too many on one rank are too many for all, who would wait.
    let (from, to) = (laid_out(&lengths), laid_out(&incoming));
    let mut fits = [i64::from(from.is_ok() && to.is_ok())];
    allreduce_min(comm, &mut fits)?;
    let ((counts, places, _), (to_counts, to_places, total)) = match (from, to) {
        (Ok(from), Ok(to)) if fits == [1] => (from, to),
        _ => {
            let why =
                format!("more than {} words are too many to be exchanged at once", c_int::MAX);
            return Err(Error::new(Code::Limit, why).into());
        }
    };
    let mut all = vec![0; crate::count::wide(total)];
    let own = out.concat();
    alltoallv(comm, (&own, &counts, &places), (&mut all, &to_counts, &to_places))?;
    let mut rest = &all[..];
    let of_rank = |&n: &u64| {
        let (own, others) = rest.split_at(crate::count::wide(n));
        rest = others;
        own.to_vec()
    };
    Ok(incoming.iter().map(of_rank).collect())
}

fn alltoallv(
    comm: Comm,
    (from, counts, places): (&[u64], &[c_int], &[c_int]),
    (to, to_counts, to_places): (&mut [u64], &[c_int], &[c_int]),
) -> MpiResult<()> {
    let word = Datatype::word().raw();
    // SAFETY: a live communicator, and for each of its ranks as many words as the counts say, one behind the other.
    check(unsafe {
        ffi::MPI_Alltoallv(
            from.as_ptr().cast(),
            counts.as_ptr(),
            places.as_ptr(),
            word,
            to.as_mut_ptr().cast(),
            to_counts.as_ptr(),
            to_places.as_ptr(),
            word,
            comm.raw(),
        )
    })
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
