//! Where MPI's own calls with counts for each partner are wrong, also with small counts. Passive data then go the way of
//! the calls for large counts, which is right. Every rank must decide alike, so each answer rests on what all ranks of a
//! call know; a rank that is told nothing (`None`) calls MPI.
#![forbid(unsafe_code)]

use super::limit::limit;
use crate::mpi::{Comm, Datatype, quirks, wide_int};
use std::ffi::c_int;

/// For how many partners the arrays are, of `Alltoallw`.
pub fn alltoallw(comm: Comm, in_place: bool, blocks: bool) -> Option<usize> {
    let partners = partners(comm)?;
    let by_topology = || !blocks && comm.topology().is_ok_and(|topology| topology.is_some());
    let wrong = quirks::ALLTOALLW_OF_ONE_DISPLACES_ITEMS && partners == 1
        || quirks::IALLTOALLW_KEEPS_TYPES_OF_NEIGHBOURS && by_topology();
    (wrong || alltoall(comm, in_place).is_some()).then_some(partners)
}

/// The same of `Alltoall` and `Alltoallv`.
pub fn alltoall(comm: Comm, in_place: bool) -> Option<usize> {
    if quirks::IN_PLACE_SENDS_PACKED_COPIES && in_place { partners(comm) } else { None }
}

/// The same of `Allgatherv`: all ranks of one group receive as many bytes.
pub fn allgatherv(
    comm: Comm,
    datatype: Datatype,
    items: impl FnOnce(usize) -> i64,
) -> Option<usize> {
    let of_one = quirks::ALLGATHERV_OF_ONE_IGNORES_DISPLACEMENT;
    let long = quirks::ALLGATHERV_HANGS_PAST_2_GIB;
    let ranks = if of_one || long { partners(comm)? } else { return None };
    if comm.is_inter().ok()? {
        return None;
    }
    let bytes = items(ranks).saturating_mul(datatype.size().ok()?);
    (of_one && ranks == 1 || long && bytes > i64::from(limit())).then_some(ranks)
}

/// Of `Neighbor_alltoallw`, from how many ranks it receives and to how many it sends.
pub fn neighbor_alltoallw(comm: Comm) -> Option<(usize, usize)> {
    let (from, to) = match partners(comm) {
        Some(_) if quirks::NEIGHBOR_ALLTOALLW_LOSES_PARTS => comm.topology().ok()??,
        _ => return None,
    };
    Some((wide_int(from), wide_int(to)))
}

/// None of a communicator that MPI will refuse.
fn partners(comm: Comm) -> Option<usize> {
    if comm.is_null() {
        return None;
    }
    comm.partners().ok().map(|n: c_int| wide_int(n))
}
