//! Calls whose counts differ by rank. No rank knows whether another's counts or displacements are large, so
//! the way cannot depend on them: every such call is one `Alltoallw` (or its neighbourhood form), on the
//! user's communicator, of one item of a type a partner that holds the count and the displacement.

use super::Call;
use super::limit::settled;
use super::movement::Side;
use super::plan::{Family, Plan, choose};
use super::types::{placed, structure};
use crate::mpi::generalized::{Group, Report, RequestSlot};
use crate::mpi::handle::Role;
use crate::mpi::raw::MPI_Request;
use crate::mpi::types::Made;
use crate::mpi::{Comm, Datatype, Outcome, TypeAttribute, raw, wide_int};
use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What goes to or comes from one partner: items, and bytes from the buffer's beginning.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub count: i64,
    pub displacement: i64,
    pub datatype: Datatype,
}

impl Part {
    /// Nothing.
    pub fn none() -> Self {
        Self { count: 0, displacement: 0, datatype: Datatype::byte() }
    }

    /// The same part of a buffer that begins at an address.
    const fn behind(self, address: i64) -> Self {
        Self { displacement: self.displacement.wrapping_add(address), ..self }
    }
}

/// Parts as a v-call has them: displacements in items.
pub fn parts(counts: &[i64], displacements: &[i64], datatype: Datatype) -> Outcome<Vec<Part>> {
    let extent = datatype.bounds()?.extent();
    counts
        .iter()
        .zip(displacements)
        .map(|(&count, &displacement)| {
            let displacement = super::multiply("displacement times extent", displacement, extent)?;
            Ok(Part { count, displacement, datatype })
        })
        .collect()
}

/// Parts as a w-call has them: displacements in bytes.
pub fn parts_of_types(counts: &[i64], displacements: &[i64], datatypes: &[Datatype]) -> Vec<Part> {
    counts
        .iter()
        .zip(displacements)
        .zip(datatypes)
        .map(|((&count, &displacement), &datatype)| Part { count, displacement, datatype })
        .collect()
}

/// What every rank sends and receives.
#[derive(Default, Debug)]
pub struct Traffic {
    pub sends: Vec<Part>,
    pub receives: Vec<Part>,
    /// Types made for the parts, until the arrays hold them.
    pub joined: Vec<Made>,
    /// Memory of the library's own that is sent from; must live until all is complete.
    pub staging: Vec<Vec<u8>>,
}

/// Whether a part of the exchange is in place, and what stands for it.
pub type Parts<'a> = &'a dyn Fn() -> Outcome<Vec<Part>>;

/// The root receives from all.
pub fn gather(
    comm: Comm,
    root: c_int,
    in_place: bool,
    own: Part,
    all: Parts<'_>,
) -> Outcome<Traffic> {
    let n = wide_int(comm.partners()?);
    let mut traffic = Traffic {
        sends: vec![Part::none(); n],
        receives: vec![Part::none(); n],
        ..Traffic::default()
    };
    let role = comm.role(root)?;
    let at = usize::try_from(root).ok().filter(|&at| at < n);
    if role == Role::Root {
        traffic.receives = all()?;
    }
    let to_itself = role == Role::Root && !comm.is_inter()?;
    if let (Some(at), true) = (at, role == Role::Leaf || to_itself) {
        if to_itself && in_place {
            traffic.receives[at] = Part::none();
        } else {
            traffic.sends[at] = own;
        }
    }
    Ok(traffic)
}

/// The root sends to all.
pub fn scatter(
    comm: Comm,
    root: c_int,
    in_place: bool,
    all: Parts<'_>,
    own: Part,
) -> Outcome<Traffic> {
    let turned = gather(comm, root, in_place, own, all)?;
    Ok(Traffic { sends: turned.receives, receives: turned.sends, ..Traffic::default() })
}

/// All send to all; each sends the same to everyone. In place, what it sends lies among what it receives, and
/// `in_place` is the buffer's address: sends are given by address then, from `MPI_BOTTOM`, because Open MPI
/// takes two equal buffers for a call in place.
pub fn allgather(comm: Comm, in_place: Option<i64>, own: Part, all: Parts<'_>) -> Outcome<Traffic> {
    let mut receives = all()?;
    let n = receives.len();
    let rank = wide_int(comm.rank()?);
    let Some(address) = in_place.filter(|_| rank < n) else {
        return Ok(Traffic { sends: vec![own; n], receives, ..Traffic::default() });
    };
    let mut sends = vec![receives[rank].behind(address); n];
    (sends[rank], receives[rank]) = (Part::none(), Part::none());
    Ok(Traffic { sends, receives, ..Traffic::default() })
}

/// As a broadcast of what lies at `address`, given as for `allgather` in place.
pub fn broadcast(comm: Comm, root: c_int, own: Part, address: i64) -> Outcome<Traffic> {
    let n = wide_int(comm.partners()?);
    let mut traffic = Traffic {
        sends: vec![Part::none(); n],
        receives: vec![Part::none(); n],
        ..Traffic::default()
    };
    let at = usize::try_from(root).ok().filter(|&at| at < n);
    match (comm.role(root)?, at) {
        (Role::Root, at) => {
            traffic.sends = vec![own.behind(address); n];
            if let (Some(at), false) = (at, comm.is_inter()?) {
                traffic.sends[at] = Part::none();
            }
        }
        (Role::Leaf, Some(at)) => traffic.receives[at] = own,
        _ => (),
    }
    Ok(traffic)
}

/// What goes to and comes from neighbours as an exchange of all ranks. Several edges between two ranks become
/// one part, in the order of the edges: the order in which MPI would match their messages.
pub fn by_rank(comm: Comm, sends: &[Part], receives: &[Part]) -> Outcome<Traffic> {
    let (sources, destinations) = comm.neighbours()?;
    let size = wide_int(comm.size()?);
    let mut traffic = Traffic::default();
    traffic.sends = gathered_by_rank(size, &destinations, sends, &mut traffic.joined)?;
    traffic.receives = gathered_by_rank(size, &sources, receives, &mut traffic.joined)?;
    Ok(traffic)
}

fn gathered_by_rank(
    size: usize,
    ranks: &[c_int],
    parts: &[Part],
    joined: &mut Vec<Made>,
) -> Outcome<Vec<Part>> {
    let mut of_rank: Vec<Vec<Part>> = vec![Vec::new(); size];
    for (&rank, &part) in ranks.iter().zip(parts) {
        // MPI_PROC_NULL, beyond the open end of a grid, is negative.
        if let (Some(edges), true) =
            (usize::try_from(rank).ok().and_then(|r| of_rank.get_mut(r)), part.count > 0)
        {
            edges.push(part);
        }
    }
    let mut one = |edges: &[Part]| -> Outcome<Part> {
        match edges {
            [] => Ok(Part::none()),
            [part] => Ok(*part),
            several => {
                let blocks: Vec<_> = several
                    .iter()
                    .map(|part| (part.count, part.displacement, part.datatype))
                    .collect();
                let made = structure(&blocks)?.commit()?;
                let datatype = made.datatype();
                joined.push(made);
                Ok(Part { count: 1, displacement: 0, datatype })
            }
        }
    };
    of_rank.iter().map(|edges| one(edges)).collect()
}

/// The arrays of one side of an `Alltoallw`.
#[derive(Default)]
pub struct Arrays {
    pub counts: Vec<c_int>,
    /// Zero where the type holds the displacement.
    pub displacements: Vec<c_int>,
    /// The neighbourhood calls', in 64 bits.
    pub wide_displacements: Vec<i64>,
    pub datatypes: Vec<Datatype>,
}

/// The arrays of an `Alltoallw` and the types made for it.
#[derive(Default)]
pub struct Lists {
    pub send: Arrays,
    pub receive: Arrays,
    keep: Vec<Made>,
}

/// Whether displacements are 64 bits wide in the call itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Int,
    Aint,
}

impl Arrays {
    fn fill(parts: &[Part], width: Width, keep: &mut Vec<Made>) -> Outcome<Self> {
        let mut arrays = Self::default();
        for part in parts {
            // Open MPI's Alltoallw of a single rank takes displacements for items instead of bytes.
            let narrow = settled(part.displacement)
                .filter(|&displacement| displacement == 0 || (displacement > 0 && parts.len() > 1));
            let (count, displacement, datatype) = match (settled(part.count), narrow, width) {
                (Some(0), ..) => (0, 0, Datatype::byte()),
                (Some(count), Some(displacement), Width::Int) => {
                    (count, i64::from(displacement), part.datatype)
                }
                (Some(count), _, Width::Aint) => (count, part.displacement, part.datatype),
                _ => {
                    let made = placed(part.count, part.displacement, part.datatype)?;
                    let datatype = made.datatype();
                    keep.push(made);
                    (1, 0, datatype)
                }
            };
            arrays.counts.push(count);
            arrays.displacements.push(c_int::try_from(displacement).unwrap_or(0));
            arrays.wide_displacements.push(displacement);
            arrays.datatypes.push(datatype);
        }
        Ok(arrays)
    }
}

impl Lists {
    fn new(traffic: &mut Traffic, width: Width) -> Outcome<Self> {
        let mut keep = std::mem::take(&mut traffic.joined);
        let send = Arrays::fill(&traffic.sends, width, &mut keep)?;
        let receive = Arrays::fill(&traffic.receives, width, &mut keep)?;
        Ok(Self { send, receive, keep })
    }

    /// A type of which the operation holds a reference until it is complete: one of the types made, or one
    /// put in place of a used type, or, where nothing is sent or received, of an unused one.
    fn witness(&mut self) -> Outcome<Option<Datatype>> {
        if let Some(made) = self.keep.first() {
            return Ok(Some(made.datatype()));
        }
        for used in [true, false] {
            for arrays in [&mut self.send, &mut self.receive] {
                let found = arrays.counts.iter().position(|&count| (count != 0) == used);
                if let Some(at) = found {
                    let made = Made::duplicate(arrays.datatypes[at])?.commit()?;
                    arrays.datatypes[at] = made.datatype();
                    let witness = made.datatype();
                    self.keep.push(made);
                    return Ok(Some(witness));
                }
            }
        }
        Ok(None)
    }
}

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

/// How many operations have arrays that live.
pub fn alive() -> usize {
    under_way().lists.as_ref().map_or(0, HashMap::len)
}

/// Where the arrays are, once they are written on their witness: at an address that does not move.
fn publish(mut lists: Lists) -> Outcome<(usize, Lists)> {
    let Some(witness) = lists.witness()? else { return Ok((0, lists)) };
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
    Ok((number, lists))
}

impl Call {
    /// A blocking call.
    pub fn exchange(
        self,
        width: Width,
        traffic: impl FnOnce() -> Outcome<Traffic>,
        call: impl FnOnce(&Lists) -> c_int,
    ) -> c_int {
        choose(self.name, Family::Vector);
        match self.prepare(|| Lists::new(&mut traffic()?, width)) {
            Ok(lists) => call(&lists),
            Err(code) => code,
        }
    }

    /// A nonblocking call: arrays live until MPI gives up the types in them.
    pub fn start_exchange(
        self,
        width: Width,
        slot: RequestSlot,
        traffic: impl FnOnce() -> Outcome<Traffic>,
        call: impl FnOnce(&Lists, *mut MPI_Request) -> c_int,
    ) -> c_int {
        choose(self.name, Family::Vector);
        let mut traffic = match self.prepare(traffic) {
            Ok(traffic) => traffic,
            Err(code) => return code,
        };
        if !traffic.staging.is_empty() {
            return self.start_staged(width, slot, traffic, call);
        }
        let (number, mut lists) = match self.prepare(|| publish(Lists::new(&mut traffic, width)?)) {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        let code = call(&lists, slot.place());
        if code == raw::SUCCESS && number != 0 {
            let types = std::mem::take(&mut lists.keep);
            // The arrays' heap memory stays where it is while `lists` moves into the table.
            under_way().lists.get_or_insert_with(HashMap::new).insert(number, lists);
            drop(types);
        } else {
            drop(lists);
            sweep();
        }
        code
    }

    /// As `start_exchange`, where memory must outlive the whole operation: behind a generalized request,
    /// which knows when that is.
    fn start_staged(
        self,
        width: Width,
        slot: RequestSlot,
        mut traffic: Traffic,
        call: impl FnOnce(&Lists, *mut MPI_Request) -> c_int,
    ) -> c_int {
        match self.prepare(|| Ok((Group::new(Report::Empty)?, Lists::new(&mut traffic, width)?))) {
            Ok((mut group, lists)) => {
                group.start(|request| call(&lists, request));
                group.hold(Box::new((lists, traffic)));
                self.finish(group.finish(slot))
            }
            Err(code) => code,
        }
    }

    /// `MPIX_Ibcast_x`: two ways, of which one MPI needs the second.
    #[allow(clippy::too_many_arguments)] // the call's own, and one way each
    pub fn ibcast(
        self,
        comm: Comm,
        root: c_int,
        side: Side,
        address: i64,
        slot: RequestSlot,
        as_type: impl FnOnce(c_int, raw::MPI_Datatype) -> c_int,
        as_alltoallw: impl FnOnce(&Lists, *mut MPI_Request) -> c_int,
    ) -> c_int {
        let Side { count, datatype } = side;
        if let Some(count) = settled(count) {
            return as_type(count, datatype.raw());
        }
        if choose(self.name, Family::Ibcast) == Plan::Alltoallw {
            let own = Part { count, displacement: 0, datatype };
            let traffic = || broadcast(comm, root, own, address);
            return self.start_exchange(Width::Int, slot, traffic, as_alltoallw);
        }
        match self.prepare(|| side.fit()) {
            Ok(fitted) => as_type(fitted.count, fitted.datatype),
            Err(code) => code,
        }
    }
}
