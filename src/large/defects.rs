//! Where MPI's own calls with counts for each partner are wrong, also with small counts. Passive data then go the way of
//! the calls for large counts, which is right. Every rank must decide alike, so each answer rests on what all ranks of a
//! call know; a rank that is told nothing (`None`) calls MPI.
#![forbid(unsafe_code)]

use super::limit::limit;
use super::vector::NEIGHBOURS_BY_RANK;
use crate::mpi::{Comm, Datatype, wide_int};
use std::ffi::c_int;

const OPEN_MPI: bool = cfg!(admpi_mpi = "openmpi");
const MPICH: bool = cfg!(admpi_mpi = "mpich");

/// For how many partners the arrays are, of `Alltoallw`: among a single rank Open MPI takes displacements for items
/// instead of bytes, and without blocking it reads as many types as a rank has neighbours.
pub fn alltoallw(comm: Comm, in_place: bool, blocks: bool) -> Option<usize> {
    let partners = partners(comm)?;
    let by_topology = || !blocks && comm.topology().is_ok_and(|topology| topology.is_some());
    let wrong = OPEN_MPI && (partners == 1 || by_topology());
    (wrong || alltoall(comm, in_place).is_some()).then_some(partners)
}

/// The same of `Alltoall` and `Alltoallv`: in place MPICH sends a packed copy, which it cannot receive as pairs when it is
/// long.
pub fn alltoall(comm: Comm, in_place: bool) -> Option<usize> {
    if MPICH && in_place { partners(comm) } else { None }
}

/// The same of `Allgatherv`: MPICH's ignores the displacement of a single rank, and hangs past 2^31 bytes, which all
/// ranks of one group receive alike.
pub fn allgatherv(
    comm: Comm,
    datatype: Datatype,
    items: impl FnOnce(usize) -> i64,
) -> Option<usize> {
    let ranks = if MPICH { partners(comm)? } else { return None };
    if comm.is_inter().ok()? {
        return None;
    }
    let bytes = items(ranks).saturating_mul(datatype.size().ok()?);
    (ranks == 1 || bytes > i64::from(limit())).then_some(ranks)
}

/// Of `Neighbor_alltoallw`, from how many ranks it receives and to how many it sends: MPICH's delivers nothing to a rank
/// without destinations, of which the others do not know.
pub fn neighbor_alltoallw(comm: Comm) -> Option<(usize, usize)> {
    let (from, to) = match partners(comm) {
        Some(_) if NEIGHBOURS_BY_RANK => comm.topology().ok()??,
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
