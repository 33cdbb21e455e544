//! Where MPI's own calls with counts for each partner are wrong, also with small counts. Passive data then go the way of
//! the calls for large counts, which is right. Every rank must decide alike, so each answer rests on what all ranks of a
//! call know; a rank that is told nothing (`None`) calls MPI.
#![forbid(unsafe_code)]

use super::limit::limit;
use super::movement::Side;
use crate::mpi::handle::Role;
use crate::mpi::{Comm, Datatype, MpiResult, quirks, raw, wide_int};
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

/// Whether the blocking `Allgatherv`, `Gatherv` and `Scatterv` take the types of a group's members for one.
pub fn parts_take_one_type(comm: Comm) -> bool {
    quirks::PARTS_BETWEEN_GROUPS_TAKE_ONE_TYPE
        && !comm.is_null()
        && comm.is_inter().unwrap_or(false)
}

/// For how many partners the arrays are, of `Gatherv` and `Scatterv`: on the root alone they count.
pub fn gatherv(comm: Comm, root: c_int, blocks: bool) -> Option<usize> {
    if !blocks || !parts_take_one_type(comm) {
        return None;
    }
    match comm.role(root).ok()? {
        Role::Root => partners(comm),
        _ => Some(0),
    }
}

/// The most bytes, of all parts of one group, that `Allgatherv` moves as it should.
fn allgatherv_limit(blocks: bool) -> Option<i64> {
    let hangs = quirks::ALLGATHERV_HANGS_PAST_2_GIB.then(|| i64::from(limit()));
    let cuts = quirks::ALLGATHERV_CUTS_BY_OWN_ITEMS_FROM.filter(|_| blocks);
    hangs.into_iter().chain(cuts.map(|from| from - 1)).min()
}

/// The same of `Allgatherv`: all ranks of one group receive as many bytes.
pub fn allgatherv(
    comm: Comm,
    datatype: Datatype,
    blocks: bool,
    items: impl FnOnce(usize) -> i64,
) -> Option<usize> {
    if blocks && parts_take_one_type(comm) {
        return partners(comm);
    }
    let of_one = quirks::ALLGATHERV_OF_ONE_IGNORES_DISPLACEMENT;
    let most = allgatherv_limit(blocks);
    let ranks = if of_one || most.is_some() { partners(comm)? } else { return None };
    if comm.is_inter().ok()? {
        return None;
    }
    let bytes = items(ranks).saturating_mul(datatype.size().ok()?);
    (of_one && ranks == 1 || most.is_some_and(|most| bytes > most)).then_some(ranks)
}

/// Whether `Ibcast` puts data in wrong places. The types are each rank's own, so they do not count.
pub fn ibcast(comm: Comm) -> bool {
    quirks::IBCAST_BETWEEN_GROUPS_MISPLACES && !comm.is_null() && comm.is_inter().unwrap_or(false)
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

/// Whether the form of Allgatherv for large counts may be wrong. All ranks receive as many bytes, so all decide alike;
/// but of two groups, neither knows what the other receives.
pub fn large_allgatherv(
    comm: Comm,
    datatype: Datatype,
    blocks: bool,
    items: impl FnOnce(usize) -> MpiResult<i64>,
) -> bool {
    let of_one = quirks::ALLGATHERV_OF_ONE_IGNORES_DISPLACEMENT;
    let most = allgatherv_limit(blocks);
    let one_type = quirks::PARTS_BETWEEN_GROUPS_TAKE_ONE_TYPE;
    let wrong = || -> MpiResult<bool> {
        let n = wide_int(comm.partners()?);
        if comm.is_inter()? {
            return Ok(most.is_some() || of_one || one_type);
        }
        let Some(most) = most else { return Ok(of_one && n == 1) };
        Ok(of_one && n == 1 || items(n)?.saturating_mul(datatype.size()?) > most)
    };
    (of_one || most.is_some() || one_type) && wrong().unwrap_or(false)
}

/// Whether `Gather` or `Scatter` cuts a part within an item. All ranks must take the same way. Within a group each has a
/// part of the same items, the root `at_root`; between two groups some have none.
#[inline(always)]
pub fn gather(comm: Comm, root: c_int, at_root: Side, elsewhere: Side) -> bool {
    quirks::GATHER_CUTS_PACKED_ITEMS && cuts_items(comm, root, at_root, elsewhere)
}

fn cuts_items(comm: Comm, root: c_int, at_root: Side, elsewhere: Side) -> bool {
    comm.is_inter().is_ok_and(|inter| {
        let is_root = matches!(comm.role(root), Ok(Role::Root));
        let Side { count, datatype } = if is_root { at_root } else { elsewhere };
        inter || count > 0 && is_mixed(datatype)
    })
}

/// What a type is made of.
#[derive(PartialEq)]
enum Grain {
    Nothing,
    /// Items of one size, without gaps.
    Alike(i64),
    /// Items of several sizes, or with gaps.
    Mixed,
}

/// Whether a type has items of several sizes, or gaps. What is no type MPI refuses.
pub fn is_mixed(datatype: Datatype) -> bool {
    matches!(grain(datatype), Ok(Grain::Mixed))
}

fn grain(datatype: Datatype) -> MpiResult<Grain> {
    let size = datatype.size()?;
    if size == 0 {
        return Ok(Grain::Nothing);
    }
    let Some(contents) = datatype.contents()? else {
        let whole = datatype.bounds()?.extent() == size;
        return Ok(if whole { Grain::Alike(size) } else { Grain::Mixed });
    };
    let blocks =
        contents.integers.get(1..).filter(|_| contents.combiner == raw::constants().structure);
    let mut all = Grain::Nothing;
    for (i, part) in contents.datatypes.iter().enumerate() {
        if blocks.is_some_and(|blocks| blocks.get(i) == Some(&0)) {
            continue;
        }
        all = match (all, grain(part.datatype())?) {
            (one, Grain::Nothing) | (Grain::Nothing, one) => one,
            (one, other) if one == other => one,
            _ => Grain::Mixed,
        };
    }
    Ok(all)
}
