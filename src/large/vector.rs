//! Calls whose counts differ by rank. No rank knows whether another's counts or displacements are large, so
//! the way cannot depend on them: every such call is MPI-4's where it is right, else one `Alltoallw` (or its
//! neighbourhood form), on the user's communicator, with a type a partner that holds what an int does not.

use super::defects;
use super::limit::settled;
use super::movement::Side;
use super::plan::{Family, Plan, choose};
use super::types::{placed, structure};
use super::{Call, under_way};
pub use crate::mpi::arrays::{Arrays, Lists, Memory, Width};
use crate::mpi::generalized::{Group, Report, RequestSlot};
use crate::mpi::handle::{Object, Role};
use crate::mpi::list::listable;
use crate::mpi::raw::{MPI_Aint, MPI_Request};
use crate::mpi::types::{Made, aint, from_aint};
use crate::mpi::{Comm, Datatype, List, MpiResult, quirks, raw, wide_int};
use std::ffi::c_int;

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

    /// This part and `next` as one, if `next` begins where this one ends.
    fn extended_by(&self, next: &Self) -> MpiResult<Option<Self>> {
        if self.datatype != next.datatype || self.count < 0 || next.count < 0 {
            return Ok(None);
        }
        let extent = self.datatype.bounds()?.extent();
        let end = self.count.checked_mul(extent).and_then(|n| n.checked_add(self.displacement));
        let count = self.count.checked_add(next.count);
        Ok(count.filter(|_| end == Some(next.displacement)).map(|count| Self { count, ..*self }))
    }
}

listable!(Part, (usize, usize));

/// Where a side's parts are written down.
#[derive(Debug)]
enum Source<'a> {
    /// One for every partner.
    Same(Part),
    /// As v-calls have them: displacements in items of `extent` bytes.
    Items {
        counts: &'a [i64],
        displacements: &'a [MPI_Aint],
        datatype: Datatype,
        extent: i64,
    },
    /// As w-calls have them: displacements in bytes.
    Types {
        counts: &'a [i64],
        displacements: &'a [MPI_Aint],
        datatypes: &'a [Datatype],
    },
    Given(List<Part>),
}

/// With which partners data are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    All,
    But(usize),
    Only(usize),
    None,
}

/// What goes to or comes from each of `n` partners: read from the caller's arrays when it is asked for, so that
/// small counts need no arrays in between.
#[derive(Debug)]
pub struct Parts<'a> {
    n: usize,
    source: Source<'a>,
    which: Which,
    /// The address from which displacements count, where they are given from `MPI_BOTTOM`.
    base: i64,
}

impl<'a> Parts<'a> {
    pub fn nothing(n: usize) -> Self {
        Self { n, source: Source::Same(Part::none()), which: Which::None, base: 0 }
    }

    pub const fn same(n: usize, part: Part) -> Self {
        Self { n, source: Source::Same(part), which: Which::All, base: 0 }
    }

    pub fn given(parts: List<Part>) -> Self {
        Self { n: parts.len(), source: Source::Given(parts), which: Which::All, base: 0 }
    }

    /// Displacements in items. Arrays of no partners may be absent, and so may the type then.
    pub fn items(
        n: usize,
        counts: &'a [i64],
        displacements: &'a [MPI_Aint],
        datatype: Datatype,
    ) -> MpiResult<Self> {
        if n == 0 {
            return Ok(Self::nothing(0));
        }
        let extent = datatype.bounds()?.extent();
        let source = Source::Items { counts, displacements, datatype, extent };
        Ok(Self { n, source, which: Which::All, base: 0 })
    }

    /// Displacements in bytes.
    pub const fn types(
        n: usize,
        counts: &'a [i64],
        displacements: &'a [MPI_Aint],
        datatypes: &'a [Datatype],
    ) -> Self {
        let source = Source::Types { counts, displacements, datatypes };
        Self { n, source, which: Which::All, base: 0 }
    }

    /// The same parts of a buffer that begins at an address.
    pub fn behind(self, base: i64) -> Self {
        Self { base, ..self }
    }

    fn only(self, partner: usize) -> Self {
        Self { which: Which::Only(partner), ..self }
    }

    fn but(self, partner: usize) -> Self {
        Self { which: Which::But(partner), ..self }
    }

    fn part(&self, i: usize) -> MpiResult<Part> {
        let takes_part = match self.which {
            Which::All => true,
            Which::But(partner) => i != partner,
            Which::Only(partner) => i == partner,
            Which::None => false,
        };
        if !takes_part {
            return Ok(Part::none());
        }
        let part = match &self.source {
            &Source::Same(part) => part,
            &Source::Items { counts, displacements, datatype, extent } => {
                let displacement = from_aint(displacements[i]);
                let displacement =
                    super::multiply("displacement times extent", displacement, extent)?;
                Part { count: counts[i], displacement, datatype }
            }
            &Source::Types { counts, displacements, datatypes } => Part {
                count: counts[i],
                displacement: from_aint(displacements[i]),
                datatype: datatypes[i],
            },
            Source::Given(parts) => parts[i],
        };
        Ok(part.behind(self.base))
    }

    pub fn iter(&self) -> impl Iterator<Item = MpiResult<Part>> {
        (0..self.n).map(|i| self.part(i))
    }
}

/// What every rank sends and receives.
#[derive(Debug)]
pub struct Traffic<'a> {
    pub sends: Parts<'a>,
    pub receives: Parts<'a>,
    /// Types made for the parts, until the arrays hold them.
    pub joined: Vec<Made>,
    /// Memory of the library's own that is sent from; must live until all is complete.
    pub staging: Vec<Vec<u8>>,
}

impl<'a> Traffic<'a> {
    pub const fn new(sends: Parts<'a>, receives: Parts<'a>) -> Self {
        Self { sends, receives, joined: Vec::new(), staging: Vec::new() }
    }
}

/// The root receives from all: `all` tells what, and is asked on the root only.
pub fn gather<'a>(
    comm: Comm,
    root: c_int,
    in_place: bool,
    own: Part,
    all: impl FnOnce(usize) -> MpiResult<Parts<'a>>,
) -> MpiResult<Traffic<'a>> {
    let n = wide_int(comm.partners()?);
    let role = comm.role(root)?;
    let receives = if role == Role::Root { all(n)? } else { Parts::nothing(n) };
    let to_itself = role == Role::Root && !comm.is_inter()?;
    let at = usize::try_from(root).ok().filter(|&at| at < n);
    Ok(match at {
        Some(at) if to_itself && in_place => Traffic::new(Parts::nothing(n), receives.but(at)),
        Some(at) if to_itself || role == Role::Leaf => {
            Traffic::new(Parts::same(n, own).only(at), receives)
        }
        _ => Traffic::new(Parts::nothing(n), receives),
    })
}

/// The root sends to all.
pub fn scatter<'a>(
    comm: Comm,
    root: c_int,
    in_place: bool,
    own: Part,
    all: impl FnOnce(usize) -> MpiResult<Parts<'a>>,
) -> MpiResult<Traffic<'a>> {
    let turned = gather(comm, root, in_place, own, all)?;
    Ok(Traffic::new(turned.receives, turned.sends))
}

/// All send to all; each sends the same to everyone. In place, what it sends lies among what it receives, and
/// `in_place` is the buffer's address: sends are given by address then, from `MPI_BOTTOM`, because Open MPI
/// takes two equal buffers for a call in place.
pub fn allgather<'a>(
    comm: Comm,
    in_place: Option<i64>,
    own: Part,
    all: impl FnOnce(usize) -> MpiResult<Parts<'a>>,
) -> MpiResult<Traffic<'a>> {
    let n = wide_int(comm.partners()?);
    let receives = all(n)?;
    let rank = wide_int(comm.rank()?);
    let Some(address) = in_place.filter(|_| rank < n) else {
        return Ok(Traffic::new(Parts::same(n, own), receives));
    };
    let own = receives.part(rank)?.behind(address);
    Ok(Traffic::new(Parts::same(n, own).but(rank), receives.but(rank)))
}

/// As a broadcast of what lies at `address`, given as for `allgather` in place.
pub fn broadcast<'a>(comm: Comm, root: c_int, own: Part, address: i64) -> MpiResult<Traffic<'a>> {
    let n = wide_int(comm.partners()?);
    let at = usize::try_from(root).ok().filter(|&at| at < n);
    let (mut sends, mut receives) = (Parts::nothing(n), Parts::nothing(n));
    match (comm.role(root)?, at) {
        (Role::Root, at) => {
            sends = Parts::same(n, own.behind(address));
            if let (Some(at), false) = (at, comm.is_inter()?) {
                sends = sends.but(at);
            }
        }
        (Role::Leaf, Some(at)) => receives = Parts::same(n, own).only(at),
        _ => (),
    }
    Ok(Traffic::new(sends, receives))
}

/// Whether the exchange of neighbours is one of all ranks, with what goes to or comes from one rank by several edges as one
/// part.
pub const NEIGHBOURS_BY_RANK: bool = quirks::NEIGHBOR_ALLTOALLW_LOSES_PARTS;

/// How wide displacements are in the call that serves neighbours.
pub const fn neighbour_width() -> Width {
    if NEIGHBOURS_BY_RANK { Width::Int } else { Width::Aint }
}

/// What neighbours exchange, as the call that serves them takes it.
pub fn among_neighbours<'a>(comm: Comm, traffic: Traffic<'a>) -> MpiResult<Traffic<'a>> {
    if NEIGHBOURS_BY_RANK { by_rank(comm, &traffic) } else { Ok(traffic) }
}

/// What goes to and comes from neighbours as an exchange of all ranks. Several edges between two ranks become
/// one part, in the order in which MPI would match their messages: that of the edges, or of opposite directions.
fn by_rank<'a>(comm: Comm, traffic: &Traffic<'a>) -> MpiResult<Traffic<'a>> {
    let (sources, destinations) = comm.neighbours()?;
    let size = wide_int(comm.size()?);
    let mut joined = Vec::new();
    let sends = gathered_by_rank(size, &destinations, &traffic.sends, 0, &mut joined)?;
    let opposite = usize::from(Comm::directions_cross()? && comm.is_cartesian()?);
    let receives = gathered_by_rank(size, &sources, &traffic.receives, opposite, &mut joined)?;
    Ok(Traffic { joined, ..Traffic::new(Parts::given(sends), Parts::given(receives)) })
}

/// The parts of a rank in the order of their slots, each number changed by `opposite`: a dimension's two directions are next to
/// each other.
fn gathered_by_rank(
    size: usize,
    ranks: &[c_int],
    parts: &Parts<'_>,
    opposite: usize,
    joined: &mut Vec<Made>,
) -> MpiResult<List<Part>> {
    // MPI_PROC_NULL, beyond the open end of a grid, is negative.
    let edge =
        |(&rank, slot)| Some((usize::try_from(rank).ok().filter(|&rank| rank < size)?, slot));
    let mut edges: List<(usize, usize)> = ranks.iter().zip(0..parts.n).filter_map(edge).collect();
    edges.sort_unstable_by_key(|&(rank, slot)| (rank, slot ^ opposite));
    let mut of_rank: List<Part> = std::iter::repeat_n(Part::none(), size).collect();
    for edges in edges.chunk_by(|(rank, _), (next, _)| rank == next) {
        let mut several = List::default();
        for &(_, slot) in edges {
            append(&mut several, parts.part(slot)?)?;
        }
        of_rank[edges[0].0] = one(&several, joined)?;
    }
    Ok(of_rank)
}

/// Parts that lie one behind the other are one, which needs no type of its own.
fn append(parts: &mut List<Part>, next: Part) -> MpiResult<()> {
    if next.count == 0 {
        return Ok(());
    }
    if let Some(last) = parts.last_mut()
        && let Some(both) = last.extended_by(&next)?
    {
        *last = both;
    } else {
        parts.extend([next]);
    }
    Ok(())
}

fn one(parts: &[Part], joined: &mut Vec<Made>) -> MpiResult<Part> {
    match parts {
        [] => Ok(Part::none()),
        [part] => Ok(*part),
        several => {
            if let Some(&wrong) = several.iter().find(|part| part.count < 0) {
                return Ok(wrong); // MPI reports it
            }
            let block = |part: &Part| (part.count, part.displacement, part.datatype);
            let blocks: Vec<_> = several.iter().map(block).collect();
            let made = structure(&blocks)?.commit()?;
            let datatype = made.datatype();
            joined.push(made);
            Ok(Part { count: 1, displacement: 0, datatype })
        }
    }
}

impl Arrays {
    /// At least so many types.
    fn lengthen(&mut self, n: usize) {
        self.datatypes.resize(n.max(self.datatypes.len()), Datatype::byte());
    }

    fn clear(&mut self) {
        self.counts.clear();
        self.displacements.clear();
        self.wide_displacements.clear();
        self.datatypes.clear();
    }

    fn fill(&mut self, parts: &Parts<'_>, width: Width, keep: &mut Vec<Made>) -> MpiResult<()> {
        self.clear();
        for i in 0..parts.n {
            let part = parts.part(i)?;
            // Open MPI's Alltoallw of a single rank takes displacements for items instead of bytes.
            let narrow = settled(part.displacement)
                .filter(|&displacement| displacement == 0 || (displacement > 0 && parts.n > 1));
            let (count, displacement, datatype) = match (settled(part.count), narrow, width) {
                (Some(0), ..) => (0, 0, Datatype::byte()),
                (Some(count), ..) if count < 0 => (count, 0, part.datatype), // MPI reports it
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
            self.counts.push(count);
            match width {
                Width::Int => self.displacements.push(c_int::try_from(displacement).unwrap_or(0)),
                Width::Aint => self.wide_displacements.push(aint(displacement)),
            }
            self.datatypes.push(datatype);
        }
        Ok(())
    }
}

impl Lists {
    /// The arrays of an exchange, for a caller who keeps them until it is complete.
    pub fn new(traffic: &mut Traffic<'_>, width: Width) -> MpiResult<Self> {
        let mut lists = Self::idle();
        let Memory { send, receive, keep } = &mut *lists;
        keep.append(&mut traffic.joined);
        send.fill(&traffic.sends, width, keep)?;
        receive.fill(&traffic.receives, width, keep)?;
        Ok(lists)
    }

    /// A type of which the operation holds a reference until it is complete: made for it, or put in the place of
    /// another. It is the one that MPI releases last.
    fn witness(&mut self) -> MpiResult<Option<Datatype>> {
        let Memory { send, receive, keep } = &mut **self;
        let mut found = None;
        for arrays in [send, receive] {
            let used = arrays.counts.iter().rposition(|&count| count != 0);
            let last = arrays.counts.len().checked_sub(1);
            let place = if quirks::ALLTOALLW_RELEASES_UNUSED_TYPES { last } else { used };
            if let Some(at) = place.or_else(|| last.filter(|_| found.is_none())) {
                found = Some(&mut arrays.datatypes[at]);
            }
        }
        let Some(place) = found else { return Ok(None) };
        if !keep.iter().any(|made| made.datatype() == *place) {
            let made = Made::duplicate(*place)?.commit()?;
            *place = made.datatype();
            keep.push(made);
        }
        Ok(Some(*place))
    }
}

/// Where the arrays are, once they are written on their witness: at an address that does not move.
fn publish(mut lists: Lists) -> MpiResult<(usize, Lists)> {
    let Some(witness) = lists.witness()? else { return Ok((0, lists)) };
    Ok((under_way::mark(witness)?, lists))
}

impl Call {
    /// A blocking call; `large` is MPI-4's.
    pub fn exchange<'a>(
        self,
        family: Family,
        large: impl FnOnce() -> c_int,
        width: Width,
        traffic: impl FnOnce() -> MpiResult<Traffic<'a>>,
        call: impl FnOnce(&Lists) -> c_int,
    ) -> c_int {
        if choose(self.name, family) == Plan::LargeCall {
            return large();
        }
        let prepared = self.prepare(|| {
            let mut traffic = traffic()?;
            Ok((Lists::new(&mut traffic, width)?, traffic.staging))
        });
        match prepared {
            Ok((lists, _staging)) => call(&lists),
            Err(code) => code,
        }
    }

    /// A nonblocking call; `large` is MPI-4's. Arrays live until MPI gives up the types in them.
    pub fn start_exchange<'a>(
        self,
        family: Family,
        large: impl FnOnce() -> c_int,
        width: Width,
        slot: RequestSlot,
        traffic: impl FnOnce() -> MpiResult<Traffic<'a>>,
        call: impl FnOnce(&Lists, *mut MPI_Request) -> c_int,
    ) -> c_int {
        if choose(self.name, family) == Plan::LargeCall {
            return large();
        }
        self.start_alltoallw(width, slot, traffic, call)
    }

    fn start_alltoallw<'a>(
        self,
        width: Width,
        slot: RequestSlot,
        traffic: impl FnOnce() -> MpiResult<Traffic<'a>>,
        call: impl FnOnce(&Lists, *mut MPI_Request) -> c_int,
    ) -> c_int {
        let mut traffic = match self.prepare(traffic) {
            Ok(traffic) => traffic,
            Err(code) => return code,
        };
        let topology = match self.checked_topology(width) {
            Ok(topology) => topology,
            Err(code) => return code,
        };
        if !traffic.staging.is_empty() || topology.is_some() {
            let mut call = Some(call);
            let mut once = |lists: &Lists, request: *mut MPI_Request| {
                let call = call.take().expect("it is called once");
                call(lists, request)
            };
            return self.start_staged(width, topology, slot, traffic, &mut once);
        }
        let (number, lists) = match self.published(&mut traffic, width) {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        let code = call(&lists, slot.place());
        self.started(code, number, lists)
    }

    fn checked_topology(self, width: Width) -> Result<Option<(usize, usize)>, c_int> {
        self.prepare(|| self.miscounted(width))
    }

    fn published(self, traffic: &mut Traffic<'_>, width: Width) -> Result<(usize, Lists), c_int> {
        self.prepare(|| publish(Lists::new(traffic, width)?))
    }

    /// What becomes of the lists of a call that MPI has given a code for.
    fn started(self, code: c_int, number: usize, mut lists: Lists) -> c_int {
        if self.is_held() {
            self.release(lists);
            return code;
        }
        if code == raw::SUCCESS && number != 0 {
            let types = std::mem::take(&mut lists.keep);
            // The arrays' heap memory stays where it is while `lists` moves into the table.
            under_way::keep(number, lists);
            drop(types);
        } else {
            drop(lists);
            under_way::sweep();
        }
        code
    }

    /// Where MPI keeps as many types of a nonblocking Alltoallw as a rank has neighbours, not partners: how many
    /// it then reads of the arrays, of those received and sent.
    fn miscounted(self, width: Width) -> MpiResult<Option<(usize, usize)>> {
        let all_ranks = width == Width::Int && !self.persistent;
        match self.on {
            Object::Comm(comm) if all_ranks && quirks::IALLTOALLW_KEEPS_TYPES_OF_NEIGHBOURS => {
                Ok(comm.topology()?.map(|(from, to)| (wide_int(from), wide_int(to))))
            }
            _ => Ok(None),
        }
    }

    /// As `start_exchange`, where memory or types must outlive the whole operation: behind a generalized request,
    /// which knows when that is.
    fn start_staged(
        self,
        width: Width,
        topology: Option<(usize, usize)>,
        slot: RequestSlot,
        mut traffic: Traffic<'_>,
        call: &mut dyn FnMut(&Lists, *mut MPI_Request) -> c_int,
    ) -> c_int {
        match self.prepare(|| Ok((Group::new(Report::Empty)?, Lists::new(&mut traffic, width)?))) {
            Ok((mut group, mut lists)) => {
                let (from, to) = topology.unwrap_or_default();
                lists.receive.lengthen(from);
                lists.send.lengthen(to);
                group.start(|request| call(&lists, request));
                group.hold(Box::new((lists, traffic.staging)));
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
        let by_parts = defects::ibcast(comm) || self.persistent && self.persistent_by_parts();
        if let (Some(count), false) = (settled(count), by_parts) {
            return as_type(count, datatype.raw());
        }
        if by_parts || choose(self.name, Family::Ibcast) == Plan::Alltoallw {
            let own = Part { count, displacement: 0, datatype };
            let traffic = || broadcast(comm, root, own, address);
            return self.start_alltoallw(Width::Int, slot, traffic, as_alltoallw);
        }
        match self.fitted(side) {
            Ok(fitted) => {
                let code = as_type(fitted.count, fitted.datatype);
                self.release(fitted.made);
                code
            }
            Err(code) => code,
        }
    }
}
