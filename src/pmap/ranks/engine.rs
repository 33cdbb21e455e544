//! The engine: which rank is which device, which bodies this rank is in, and the calls that move values.

use super::exchange::{Exchange, Place};
use super::packing::{Packed, lie_in_order, unpacked};
use super::transfer;
use super::value::{Piece, Shape, Value};
use crate::ampi::communicator;
use crate::datatype::Whole;
use crate::error::{Code, Error, Result};
use crate::matrix::{self, Owned};
use crate::mpi::{Comm, Failure, MpiResult};
use crate::pmap::{Device, DeviceMap, Environment, Keys, Member, block};
use crate::tape::with_current;
use std::cell::OnceCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The calls in which all ranks agree stand outside of all bodies.
const OUTSIDE: u64 = 1;

pub(super) fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    // Not `OUTSIDE`.
    hasher.finish() | 2
}

/// A body that this rank runs; the program itself is one.
struct Scope {
    id: u64,
    calls: u64,
    bound: Environment,
    device: Device,
    /// The devices whose ranks run it.
    footprint: Vec<Device>,
}

pub struct Engine {
    comm: Comm,
    exchange: Exchange,
    map: DeviceMap,
    /// The rank of each device.
    ranks: BTreeMap<Device, i32>,
    device: Device,
    rank: i32,
    /// The members of the nodes that keys have led to.
    nodes: HashMap<Vec<Device>, Rc<[Member]>>,
    /// Who is in the calls on them, by where the members lie, and the root.
    parties: HashMap<(*const Member, Option<Device>), Rc<Party>>,
    groups: BTreeMap<Vec<i32>, Comm>,
    scopes: Vec<Scope>,
    epoch: u64,
    /// Of functions with inputs of certain shapes, the shapes of all their values.
    pub(super) simulated: HashMap<u64, Rc<Shapes>>,
    /// Whether all ranks know that the calls of this one fit together: then they need not ask each other.
    pub(super) is_simulated: bool,
}

/// The shapes of a value's pieces, by the place and the name of the value.
pub(super) type Shapes = HashMap<u64, Vec<Shape>>;

/// A body of a pmap on its way.
pub struct Run {
    members: Rc<[Member]>,
    scope: u64,
}

/// What this rank runs of a pmap: nothing, or the body for a device.
pub struct Iteration {
    pub device: Device,
    pub inputs: Vec<Value>,
}

/// The results of a body.
pub type Body = Result<Vec<Value>>;

fn failed(failure: Failure) -> Error {
    failure.into_error("pmap")
}

/// The ranks that a call needs, of which one may have a part of its own.
struct Party {
    members: Rc<[Member]>,
    ranks: Vec<i32>,
    /// The place of the root among them.
    root: usize,
    /// The place of each device of the node.
    places: Vec<usize>,
    /// The same for the same devices and root.
    hash: u64,
    comm: OnceCell<Comm>,
}

impl Party {
    fn new(ranks: &BTreeMap<Device, i32>, root: Option<Device>, members: Rc<[Member]>) -> Self {
        let mut devices: Vec<Device> = members.iter().map(|member| member.device).collect();
        let hash = hash((&devices, root));
        if let Some(root) = root.filter(|root| !devices.contains(root)) {
            devices.insert(0, root);
        }
        let place =
            |device: Device| devices.iter().position(|&d| d == device).expect("one of the party");
        Self {
            ranks: devices.iter().map(|device| ranks[device]).collect(),
            root: root.map_or(0, place),
            places: members.iter().map(|member| place(member.device)).collect(),
            members,
            hash,
            comm: OnceCell::new(),
        }
    }

    /// The shape of the piece of that place's device.
    fn shape_at(&self, place: usize, pieces: &[Piece]) -> Option<Shape> {
        self.places
            .iter()
            .zip(pieces)
            .find(|&(&at, _)| at == place)
            .and_then(|(_, piece)| piece.shape)
    }

    /// The elements of each rank, by the shapes of the devices of the node.
    fn counts(&self, shapes: impl Iterator<Item = Shape>) -> Vec<i64> {
        let mut counts = vec![0; self.ranks.len()];
        for ([rows, cols], &place) in shapes.zip(&self.places) {
            counts[place] = number(rows * cols);
        }
        counts
    }
}

/// A tuple that a call is given, and what this rank brings.
struct Given<'v> {
    members: Rc<[Member]>,
    pieces: &'v [Piece],
    own: Result<Option<Shape>>,
}

fn number(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn as_rank(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

/// A matrix for what a collective brings.
fn room([rows, cols]: Shape) -> Result<Owned> {
    Owned::unwritten(rows, cols)
}

/// The same values under ids of their own.
fn copied(matrix: &Owned) -> Result<Owned> {
    if !matrix.is_active() {
        return Ok(matrix.copy());
    }
    let (rows, cols) = matrix.shape();
    let elements = matrix.elements()?;
    with_current(|tape| matrix::gather(tape, rows, cols, &elements))
}

/// What a piece has here, and elsewhere a matrix of zeros.
fn own_or_zeros(piece: Option<&Piece>, shape: Shape) -> Result<Rc<Owned>> {
    match piece.and_then(|piece| piece.matrix.as_ref()) {
        Some(matrix) => Ok(matrix.clone()),
        None => Owned::zeros(shape[0], shape[1]).map(Rc::new),
    }
}

impl Engine {
    /// Collective over `comm`. Rank r is device `devices[r]`, or r.
    pub fn new(
        comm: Comm,
        map: &DeviceMap,
        devices: Option<&[Device]>,
        root: Device,
    ) -> MpiResult<Self> {
        let comm = comm.split(comm.rank()?)?;
        let size = comm.size()?;
        let numbered: Vec<Device> = (0..size.into()).collect();
        let devices = devices.unwrap_or(&numbered);
        let checked = Self::rank_map(map, devices, root);
        let rank = comm.rank()?;
        let own = devices.get(usize::try_from(rank).unwrap_or(0)).copied();
        let ranks = checked.clone().unwrap_or_default();
        let scope = Scope {
            id: hash(0),
            calls: 0,
            bound: Environment::default(),
            device: root,
            footprint: devices.to_vec(),
        };
        let mut engine = Self {
            comm,
            exchange: Exchange::new(comm)?,
            map: map.clone(),
            ranks,
            device: own.unwrap_or_default(),
            rank,
            nodes: HashMap::new(),
            parties: HashMap::new(),
            groups: BTreeMap::new(),
            scopes: vec![scope],
            epoch: 0,
            simulated: HashMap::new(),
            is_simulated: false,
        };
        let what = hash((map.to_string(), devices, root));
        match engine.all_agree(what, checked.map(|_| Vec::new()))? {
            Ok(_) => Ok(engine),
            Err(error) => {
                engine.end()?;
                Err(error.into())
            }
        }
    }

    fn rank_map(
        map: &DeviceMap,
        devices: &[Device],
        root: Device,
    ) -> Result<BTreeMap<Device, i32>> {
        let mut ranks = BTreeMap::new();
        for (rank, &device) in devices.iter().enumerate() {
            if device < 0 {
                let why = format!("devices[{rank}] = {device}: devices are numbers from 0");
                return Err(Error::new(Code::Baddev, why));
            }
            if let Some(other) = ranks.insert(device, as_rank(rank)) {
                let why = format!("device {device} is both rank {other} and rank {rank}");
                return Err(Error::new(Code::Rankmap, why));
            }
        }
        let needed = map.devices().into_iter().chain([root]);
        if let Some(device) = needed.into_iter().find(|device| !ranks.contains_key(device)) {
            let why = format!(
                "device {device} of {map} with root {root} is not a rank: the ranks are devices {devices:?}"
            );
            return Err(Error::new(Code::Rankmap, why));
        }
        Ok(ranks)
    }

    fn all_agree(
        &mut self,
        what: u64,
        own: Result<Vec<Option<Shape>>>,
    ) -> MpiResult<Result<Vec<Option<Shape>>>> {
        let members: Vec<i32> = (0..self.comm.size()?).collect();
        let at = Place { scope: OUTSIDE, call: self.epoch };
        let agreed = self.exchange.agree(&members, (at, what), &[OUTSIDE], own)?;
        self.epoch += 1;
        Ok(agreed)
    }

    /// The end of a program, or of a part of one: all ranks learn the first failure of any. Collective over all ranks,
    /// outside of bodies. `what` is the same on all of them.
    pub fn agree(&mut self, what: u64, own: Result<()>) -> Result<()> {
        self.agree_on(what, own.map(|()| Vec::new())).map(|_| ())
    }

    /// The same, and they learn the shapes that one of them brings.
    pub(super) fn agree_on(
        &mut self,
        what: u64,
        own: Result<Vec<Option<Shape>>>,
    ) -> Result<Vec<Option<Shape>>> {
        if let Err(error) = &own {
            let all: Vec<i32> = self.ranks.values().copied().collect();
            self.exchange.leave(self.scopes[0].id, &all, error).map_err(failed)?;
        }
        let agreed = self.all_agree(what, own).map_err(failed)?;
        self.exchange.over(self.scopes[0].id);
        (self.scopes[0].id, self.scopes[0].calls) = (hash(self.epoch), 0);
        agreed
    }

    /// Frees communicators; collective.
    pub fn end(mut self) -> MpiResult<()> {
        self.exchange.end()?;
        // In the same order on all their members.
        for comm in self.groups.into_values() {
            communicator::leave(comm)?;
            comm.free()?;
        }
        self.comm.free()
    }

    /// The device that is this rank.
    pub const fn device(&self) -> Device {
        self.device
    }

    fn scope(&self) -> &Scope {
        self.scopes.last().expect("the program")
    }

    pub(super) const fn map(&self) -> &DeviceMap {
        &self.map
    }

    pub(super) fn bound(&self) -> &Environment {
        &self.scope().bound
    }

    /// Whether this rank runs the body of a pmap.
    pub(super) const fn is_within(&self) -> bool {
        self.scopes.len() > 1
    }

    /// The device whose body this rank runs; outside of bodies the root.
    pub fn home(&self) -> Device {
        self.scope().device
    }

    /// Counts a call, whatever becomes of it: all ranks of a body count alike.
    fn step(&mut self) -> Place {
        let scope = self.scopes.last_mut().expect("the program");
        scope.calls += 1;
        Place { scope: scope.id, call: scope.calls }
    }

    /// The members of a node, all within the body's devices.
    fn members(&mut self, call: &str, keys: &Keys) -> Result<Rc<[Member]>> {
        let path = keys.devices(self.bound())?;
        let members = match self.nodes.get(&path) {
            Some(members) => members.clone(),
            None => {
                let members: Rc<[Member]> = self.map.node(keys, self.bound())?.members().into();
                self.nodes.insert(path, members.clone());
                members
            }
        };
        let scope = self.scope();
        for member in &*members {
            if let Some(device) = member.footprint.iter().find(|&d| !scope.footprint.contains(d)) {
                let why = format!(
                    "{call}: keys {keys} ({}) lead to device {device}, which is not among the devices {:?} of this body: another iteration may use it",
                    scope.bound, scope.footprint
                );
                return Err(Error::new(Code::Overlap, why));
            }
        }
        Ok(members)
    }

    fn here(&self, call: &str, device: Device) -> Result<()> {
        let scope = self.scope();
        if scope.footprint.contains(&device) {
            return Ok(());
        }
        let why = format!(
            "{call}: device {device} is not among the devices {:?} of this body ({})",
            scope.footprint, scope.bound
        );
        Err(Error::new(Code::Placement, why))
    }

    /// Made once for each node and root.
    fn party(&mut self, root: Option<Device>, members: &Rc<[Member]>) -> Rc<Party> {
        let new = || Rc::new(Party::new(&self.ranks, root, members.clone()));
        let party = self.parties.entry((members.as_ptr(), root)).or_insert_with(new);
        // It keeps its members, so no others come to lie where they do.
        assert!(Rc::ptr_eq(&party.members, members), "the party of these members");
        party.clone()
    }

    /// What the members bring; None on a rank that is none. `known` is what is known of it before.
    fn meet(
        &mut self,
        party: &Party,
        (at, what): (Place, impl Hash),
        own: Result<Option<Shape>>,
        known: impl Fn(usize) -> Option<Shape>,
    ) -> Result<Option<Vec<Option<Shape>>>> {
        if !party.ranks.contains(&self.rank) {
            return own.map(|_| None);
        }
        if party.ranks.len() == 1 {
            return own.map(|shape| Some(vec![shape]));
        }
        if self.is_simulated {
            return own.map(|_| Some((0..party.ranks.len()).map(known).collect()));
        }
        let scopes: Vec<u64> =
            [OUTSIDE].into_iter().chain(self.scopes.iter().map(|scope| scope.id)).collect();
        let own = own.map(|shape| vec![shape]);
        let agreed = self.exchange.agree(&party.ranks, (at, hash(what)), &scopes, own);
        agreed.map_err(failed)?.map(Some)
    }

    /// The communicator of a party: made once, by its members alone.
    fn group(&mut self, party: &Party) -> MpiResult<Comm> {
        if let Some(&comm) = party.comm.get() {
            return Ok(comm);
        }
        let comm = match self.groups.get(&party.ranks) {
            Some(&comm) => comm,
            None => {
                let comm = self.comm.of_ranks(&party.ranks)?;
                communicator::enter(comm)?;
                self.groups.insert(party.ranks.clone(), comm);
                comm
            }
        };
        Ok(*party.comm.get_or_init(|| comm))
    }

    /// The shape of a piece that its device brings.
    fn brought(&self, call: &str, piece: &Piece) -> Result<Option<Shape>> {
        piece.sound()?;
        if piece.device == self.device && piece.matrix.is_none() {
            let why = format!("{call}: the value on device {} has no matrix there", piece.device);
            return Err(Error::new(Code::Placement, why));
        }
        Ok(piece.shape.filter(|_| piece.device == self.device))
    }

    fn own_place(&self, party: &Party) -> usize {
        party.ranks.iter().position(|&rank| rank == self.rank).expect("a member")
    }

    fn tuple(
        &self,
        members: Rc<[Member]>,
        shape: impl Fn(usize) -> Option<Shape>,
        own: Option<Owned>,
    ) -> Value {
        let mut own = own;
        let piece =
            |(k, member): (usize, &Member)| match own.take_if(|_| member.device == self.device) {
                Some(matrix) => Piece::new(member.device, matrix),
                None => Piece::placeholder(member.device, shape(k)),
            };
        let pieces = members.iter().enumerate().map(piece).collect();
        Value::Tuple { members, pieces }
    }

    /// Blocks of rows (0) or columns (1), one on each device of a node; the larger blocks come first.
    pub fn scatter(&mut self, x: &Value, dim: usize, keys: &Keys) -> Result<Value> {
        let at = self.step();
        let (x, members) = (x.one("scatter", "x")?, self.members("scatter", keys)?);
        if dim > 1 {
            let why = format!("scatter: dim = {dim} is not 0 or 1");
            return Err(Error::new(Code::Shape, why));
        }
        self.here("scatter", x.device)?;
        let party = self.party(Some(x.device), &members);
        let own = self.brought("scatter", x);
        let what = (at, ("scatter", dim, party.hash));
        let met = self.meet(&party, what, own, |_| x.shape)?;
        let whole = met.as_ref().map_or(x.shape, |shapes| shapes[party.root]);
        let n = members.len();
        let shape_of = |k: usize| {
            let mut shape = whole?;
            shape[dim] = block(shape[dim], n, k).1;
            Some(shape)
        };
        let (Some(_), Some(whole)) = (met, whole) else {
            return Ok(self.tuple(members, shape_of, None));
        };
        if let ([_], Some(matrix)) = (party.ranks.as_slice(), &x.matrix) {
            return Ok(self.tuple(members, shape_of, Some(copied(matrix)?)));
        }
        let mine = members.iter().position(|member| member.device == self.device);
        let own = room(mine.and_then(shape_of).unwrap_or_default())?;
        let (comm, root) = (self.group(&party).map_err(failed)?, as_rank(party.root));
        let counts = party.counts((0..n).filter_map(shape_of));
        let mut packed = match &x.matrix {
            Some(matrix) => Packed::new(matrix, whole, dim, n)?,
            None => Packed::Elsewhere,
        };
        transfer::scatter(comm, root, packed.whole(), &counts, &own).map_err(failed)?;
        Ok(self.tuple(members, shape_of, mine.map(|_| own)))
    }

    /// A copy on each device of a node.
    pub fn broadcast(&mut self, x: &Value, keys: &Keys) -> Result<Value> {
        let at = self.step();
        let (x, members) = (x.one("broadcast", "x")?, self.members("broadcast", keys)?);
        self.here("broadcast", x.device)?;
        let party = self.party(Some(x.device), &members);
        let own = self.brought("broadcast", x);
        let met = self.meet(&party, (at, ("broadcast", party.hash)), own, |_| x.shape)?;
        let whole = met.as_ref().map_or(x.shape, |shapes| shapes[party.root]);
        let (Some(_), Some(shape)) = (met, whole) else {
            return Ok(self.tuple(members, |_| whole, None));
        };
        let root = as_rank(party.root);
        let sends = party.ranks.len() > 1;
        let comm = if sends { Some(self.group(&party).map_err(failed)?) } else { None };
        let move_all = |data: &Owned| {
            comm.map_or(Ok(()), |comm| transfer::broadcast(comm, root, data).map_err(failed))
        };
        let mine = members.iter().any(|member| member.device == self.device);
        let own = if let Some(matrix) = &x.matrix {
            move_all(matrix)?;
            // The root's copy is a value of its own.
            mine.then(|| copied(matrix)).transpose()?
        } else {
            let received = room(shape)?;
            move_all(&received)?;
            Some(received)
        };
        Ok(self.tuple(members, |_| whole, own))
    }

    /// The pieces of a tuple, each with what its device brings.
    fn pieces<'v>(&self, call: &str, xs: &'v Value) -> Result<Given<'v>> {
        let (members, pieces) = xs.tuple(call, "xs")?;
        for piece in pieces {
            self.here(call, piece.device)?;
        }
        // A rank that runs a body that failed knows of it though the piece is another's.
        let failure = pieces.iter().find_map(|piece| piece.failure.clone());
        let mine = pieces.iter().find(|piece| piece.device == self.device);
        let own = match failure {
            Some(error) => Err(error),
            None => mine.map_or(Ok(None), |piece| self.brought(call, piece)),
        };
        Ok(Given { members: members.clone(), pieces, own })
    }

    /// The shapes of all pieces, which fit together: equal, or along `dim` of any extent.
    fn fitting(
        call: &str,
        members: &[Member],
        shapes: &[Option<Shape>],
        dim: Option<usize>,
    ) -> Result<Vec<Shape>> {
        let known: Vec<Shape> = shapes.iter().map(|shape| shape.unwrap_or_default()).collect();
        for (k, shape) in known.iter().enumerate() {
            let fits = (0..2).all(|i| Some(i) == dim || shape[i] == known[0][i]);
            if !fits {
                let why = format!(
                    "{call}: device {} has {} x {}, device {} has {} x {}",
                    members[0].device,
                    known[0][0],
                    known[0][1],
                    members[k].device,
                    shape[0],
                    shape[1]
                );
                return Err(Error::new(Code::Shape, why));
            }
        }
        Ok(known)
    }

    /// The pieces of a tuple behind each other, by rows (0) or columns (1), on the device whose body this is.
    pub fn gather(&mut self, xs: &Value, dim: usize) -> Result<Value> {
        let at = self.step();
        let home = self.home();
        let Given { members, pieces, own } = self.pieces("gather", xs)?;
        if dim > 1 {
            let why = format!("gather: dim = {dim} is not 0 or 1");
            return Err(Error::new(Code::Shape, why));
        }
        let party = self.party(Some(home), &members);
        let what = (at, ("gather", dim, party.hash));
        let met = self.meet(&party, what, own, |place| party.shape_at(place, pieces))?;
        let Some(shapes) = met else {
            return Ok(Value::One(Piece::placeholder(home, None)));
        };
        let shapes: Vec<_> = party.places.iter().map(|&place| shapes[place]).collect();
        let shapes = Self::fitting("gather", &members, &shapes, Some(dim))?;
        let mut whole = shapes[0];
        whole[dim] = shapes.iter().map(|shape| shape[dim]).sum();
        let mine = pieces.iter().find(|piece| piece.device == self.device);
        let own = own_or_zeros(mine, [0, 0])?;
        if party.ranks.len() == 1 {
            return Ok(Value::One(Piece::new(home, copied(&own)?)));
        }
        let (comm, root) = (self.group(&party).map_err(failed)?, as_rank(party.root));
        let counts = party.counts(shapes.iter().copied());
        if home != self.device {
            transfer::gather(comm, root, &own, Whole::Elsewhere, &counts).map_err(failed)?;
            return Ok(Value::One(Piece::placeholder(home, Some(whole))));
        }
        let all = room(whole)?;
        transfer::gather(comm, root, &own, Whole::Matrix(&all), &counts).map_err(failed)?;
        if lie_in_order(whole, dim) {
            return Ok(Value::One(Piece::new(home, all)));
        }
        let parts: Vec<usize> = shapes.iter().map(|shape| shape[0]).collect();
        Ok(Value::One(Piece::new(home, unpacked(all, whole, &parts)?)))
    }

    /// The sum of the pieces, on the device whose body this is.
    pub fn reduce(&mut self, xs: &Value) -> Result<Value> {
        let at = self.step();
        let home = self.home();
        let Given { members, pieces, own } = self.pieces("reduce", xs)?;
        let party = self.party(Some(home), &members);
        let what = (at, ("reduce", party.hash));
        let met = self.meet(&party, what, own, |place| party.shape_at(place, pieces))?;
        let Some(shapes) = met else {
            return Ok(Value::One(Piece::placeholder(home, None)));
        };
        let shapes: Vec<_> = party.places.iter().map(|&place| shapes[place]).collect();
        let shape = Self::fitting("reduce", &members, &shapes, None)?[0];
        let mine = pieces.iter().find(|piece| piece.device == self.device);
        let data = own_or_zeros(mine, shape)?;
        if party.ranks.len() == 1 {
            return Ok(Value::One(Piece::new(home, copied(&data)?)));
        }
        let (comm, sum) = (self.group(&party).map_err(failed)?, room(shape)?);
        transfer::sum(comm, Some(as_rank(party.root)), &data, &sum).map_err(failed)?;
        Ok(Value::One(if home == self.device {
            Piece::new(home, sum)
        } else {
            Piece::placeholder(home, Some(shape))
        }))
    }

    /// The sum of the pieces, on each of their devices.
    pub fn allreduce(&mut self, xs: &Value) -> Result<Value> {
        let at = self.step();
        let Given { members, pieces, own } = self.pieces("allreduce", xs)?;
        let party = self.party(None, &members);
        let what = (at, ("allreduce", party.hash));
        let met = self.meet(&party, what, own, |place| party.shape_at(place, pieces))?;
        let Some(shapes) = met else {
            let shape = pieces[0].shape;
            return Ok(self.tuple(members, |_| shape, None));
        };
        let shape = Self::fitting("allreduce", &members, &shapes, None)?[0];
        let data = own_or_zeros(Some(&pieces[self.own_place(&party)]), shape)?;
        let own = if party.ranks.len() == 1 {
            copied(&data)?
        } else {
            let (comm, sum) = (self.group(&party).map_err(failed)?, room(shape)?);
            transfer::sum(comm, None, &data, &sum).map_err(failed)?;
            sum
        };
        Ok(self.tuple(members, |_| Some(shape), Some(own)))
    }

    /// A copy on another device.
    pub fn send(&mut self, x: &Value, to: Device) -> Result<Value> {
        let at = self.step();
        let x = x.one("send", "x")?;
        self.here("send", x.device)?;
        self.here("send", to)?;
        if x.device == to {
            return Ok(Value::One(x.sound()?.clone()));
        }
        let target = [Member { device: to, footprint: vec![to] }];
        let party = Party::new(&self.ranks, Some(x.device), target.into());
        let own = self.brought("send", x);
        let met = self.meet(&party, (at, ("send", party.hash)), own, |_| x.shape)?;
        let whole = met.as_ref().map_or(x.shape, |shapes| shapes[party.root]);
        let (Some(_), Some(shape)) = (met, whole) else {
            return Ok(Value::One(Piece::placeholder(to, whole)));
        };
        let comm = self.group(&party).map_err(failed)?;
        if to != self.device {
            let data = own_or_zeros(Some(x), shape)?;
            transfer::broadcast(comm, as_rank(party.root), &data).map_err(failed)?;
            return Ok(Value::One(Piece::placeholder(to, whole)));
        }
        let data = room(shape)?;
        transfer::broadcast(comm, as_rank(party.root), &data).map_err(failed)?;
        Ok(Value::One(Piece::new(to, data)))
    }

    /// The piece of a tuple on a device; by default that whose body this is. Nothing moves.
    pub fn select(&mut self, xs: &Value, device: Option<Device>) -> Result<Value> {
        self.step();
        let device = device.unwrap_or_else(|| self.home());
        let (_, pieces) = xs.tuple("select", "xs")?;
        let found = pieces.iter().find(|piece| piece.device == device).ok_or_else(|| {
            let why =
                format!("select: device {device} is not among the devices {:?}", xs.devices());
            Error::new(Code::Placement, why)
        })?;
        Ok(Value::One(found.sound()?.clone()))
    }

    /// A value on a device: its rank has the matrix, the others at most its shape.
    pub fn place(&self, device: Device, shape: Option<Shape>, own: Option<Owned>) -> Result<Value> {
        self.here("place", device)?;
        if device != self.device {
            return Ok(Value::One(Piece::placeholder(device, shape)));
        }
        let matrix = own.ok_or_else(|| {
            let why = format!("place: this rank is device {device}, and matrix is NULL");
            Error::new(Code::Placement, why)
        })?;
        Ok(Value::One(Piece::new(device, matrix)))
    }

    /// Begins a pmap over tuples on the same devices. `variable` is bound to the device of each iteration.
    pub fn enter(&mut self, variable: &str, xs: &[&Value]) -> Result<(Run, Option<Iteration>)> {
        let at = self.step();
        let Some(first) = xs.first() else {
            return Err(Error::new(
                Code::Arity,
                "pmap: no argument has a value on each device of a node, so the body has no devices to run on",
            ));
        };
        let (members, _) = first.tuple("pmap", "the first argument")?;
        let members = members.clone();
        for (k, value) in xs.iter().enumerate().skip(1) {
            if matches!(value, Value::One(_)) {
                value.tuple("pmap", &format!("argument {k}"))?;
            }
            if !value.is_beside(first) {
                let why = format!(
                    "pmap: argument 0 is on devices {:?}, argument {k} on {:?}",
                    first.devices(),
                    value.devices()
                );
                return Err(Error::new(Code::Arity, why));
            }
        }
        for member in &*members {
            for &device in &member.footprint {
                self.here("pmap", device)?;
            }
        }
        let mine = members.iter().position(|member| member.footprint.contains(&self.device));
        let Some(k) = mine else { return Ok((Run { members, scope: 0 }, None)) };
        let Member { device, footprint } = members[k].clone();
        let id = hash((at.scope, at.call, device));
        let bound = self.scope().bound.with(variable, device);
        let inputs = xs.iter().map(|value| Value::One(value.pieces()[k].clone())).collect();
        self.scopes.push(Scope { id, calls: 0, bound, device, footprint });
        Ok((Run { members, scope: id }, Some(Iteration { device, inputs })))
    }

    /// Ends it. The failure of a body is told by the next call that needs its results, to all members of that call.
    pub fn leave(&mut self, run: Run, body: Option<Body>, results: usize) -> Result<Vec<Value>> {
        let mut failure = None;
        let mut own = Vec::new();
        let mut home = None;
        if let Some(body) = body {
            let scope = self.scopes.pop().expect("the body");
            assert_eq!(scope.id, run.scope, "bodies are left in order");
            home = Some(scope.device);
            match body.and_then(|values| Self::returned(scope.device, values, results)) {
                Ok(pieces) => own = pieces,
                Err(error) => {
                    let text = format!(
                        "pmap ({}), device {}: {}",
                        scope.bound, self.device, error.message
                    );
                    let error = Error::new(error.code, text);
                    let others: Vec<i32> =
                        scope.footprint.iter().map(|device| self.ranks[device]).collect();
                    self.exchange.leave(scope.id, &others, &error).map_err(failed)?;
                    failure = Some(error);
                }
            }
            self.exchange.over(scope.id);
        }
        let piece = |r: usize, member: &Member| match (&failure, home == Some(member.device)) {
            (Some(error), true) => Piece::failed(member.device, error.clone()),
            (None, true) => own[r].clone(),
            _ => Piece::placeholder(member.device, None),
        };
        let tuple = |r: usize| {
            let pieces = run.members.iter().map(|member| piece(r, member)).collect();
            Value::Tuple { members: run.members.clone(), pieces }
        };
        Ok((0..results).map(tuple).collect())
    }

    fn returned(device: Device, values: Vec<Value>, results: usize) -> Result<Vec<Piece>> {
        if values.len() != results {
            let why =
                format!("pmap: the body returns {} values instead of {results}", values.len());
            return Err(Error::new(Code::Arity, why));
        }
        let piece = |value: Value| {
            let piece = value.one("pmap", "a result of the body")?.clone();
            if piece.device != device {
                let why = format!(
                    "pmap: a result of the body for device {device} is on device {}",
                    piece.device
                );
                return Err(Error::new(Code::Placement, why));
            }
            piece.sound()?;
            Ok(piece)
        };
        values.into_iter().map(piece).collect()
    }
}
