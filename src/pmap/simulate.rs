//! Runs a function without data: where its values are, what is sent, how much memory it takes, and how long.

use super::blocks::{block, blocks};
use super::cost::{Task, Topology, Work, schedule};
use super::device_map::{DeviceMap, Member};
use super::function::{Body, Elementwise, Extent, Function, Kind, Operation};
use super::key::{Device, Environment, Key, Keys};
use crate::error::{Code, Error, Result};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};

/// Bytes of an element.
const ELEMENT: u64 = 8;

type Shape = [u64; 2];

/// What a device did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Account {
    /// Bytes of values sent and received.
    pub sent: u64,
    pub received: u64,
    /// The most bytes of values that it had at a time.
    pub peak: u64,
    pub flops: u64,
    /// For how long it did something, and when it was done, in seconds.
    pub busy: f64,
    pub end: f64,
}

/// A place in a function: `name` in a body, or what it leads to.
pub fn place(body: u64, name: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (body, name).hash(&mut hasher);
    hasher.finish()
}

/// The body of a pmap for a device.
pub fn place_of_body(body: u64, pmap: &Operation, device: Device) -> u64 {
    place(body, (&pmap.results, device))
}

/// A value in one environment: its pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Where the value is made; that of the function's body is 0.
    pub place: u64,
    pub bound: String,
    pub value: String,
    pub operation: &'static str,
    pub pieces: Vec<(Device, Shape)>,
}

struct Event {
    name: &'static str,
    device: Device,
    begin: f64,
    end: f64,
}

/// What a simulation found.
#[derive(Default)]
pub struct Simulation {
    pub rows: Vec<Row>,
    pub accounts: BTreeMap<Device, Account>,
    pub makespan: f64,
    events: Vec<Event>,
}

#[derive(Clone)]
enum Value {
    One(Device, Shape),
    Tuple(Vec<Member>, Vec<Shape>),
}

impl Value {
    fn pieces(&self) -> Vec<(Device, Shape)> {
        match self {
            Self::One(device, shape) => vec![(*device, *shape)],
            Self::Tuple(members, shapes) => {
                members.iter().map(|member| member.device).zip(shapes.iter().copied()).collect()
            }
        }
    }
}

fn bytes(shape: Shape) -> u64 {
    ELEMENT * shape[0] * shape[1]
}

fn seconds(n: u64) -> f64 {
    n as f64
}

/// A body on its way.
struct Scope {
    place: u64,
    home: Device,
    bound: Environment,
    footprint: Vec<Device>,
}

struct Simulator<'a> {
    map: &'a DeviceMap,
    topology: Topology,
    live: BTreeMap<Device, u64>,
    tasks: Vec<Task>,
    out: Simulation,
}

impl Function {
    /// Simulates the function with these extents for its names, such as `B=8, F=4`.
    pub fn simulate(&self, sizes: &str, map: &DeviceMap, topology: Topology) -> Result<Simulation> {
        self.check()?;
        let sizes = Environment::parse(sizes)?;
        let mut footprint = map.devices();
        if !footprint.contains(&self.root) {
            footprint.insert(0, self.root);
        }
        let extent = |extent: &Extent| {
            if let Ok(number) = extent.base.parse::<u64>() {
                return Ok(number);
            }
            let found = sizes.0.iter().find(|(name, _)| *name == extent.base);
            found.map(|(_, size)| size.unsigned_abs()).ok_or_else(|| {
                let why = format!("sizes: no size is given for {}; given: {sizes}", extent.base);
                Error::new(Code::Shape, why)
            })
        };
        let mut given = Vec::new();
        for [rows, cols] in &self.extents {
            given.push(Value::One(self.root, [extent(rows)?, extent(cols)?]));
        }
        let mut simulator = Simulator {
            map,
            topology,
            live: BTreeMap::new(),
            tasks: Vec::new(),
            out: Simulation::default(),
        };
        for &device in &footprint {
            simulator.out.accounts.insert(device, Account::default());
        }
        let scope = Scope { place: 0, home: self.root, bound: Environment::default(), footprint };
        for (name, value) in self.body.parameters.iter().zip(&given) {
            simulator.takes(name, value)?;
        }
        simulator.agrees(&scope.footprint);
        simulator.body(&self.body, given, &scope)?;
        simulator.agrees(&scope.footprint);
        Ok(simulator.done())
    }
}

impl Simulator<'_> {
    fn account(&mut self, device: Device) -> &mut Account {
        self.out.accounts.entry(device).or_default()
    }

    /// A value comes to be.
    fn takes(&mut self, name: &str, value: &Value) -> Result<()> {
        for (device, shape) in value.pieces() {
            let live = self.live.entry(device).or_default();
            *live += bytes(shape);
            let live = *live;
            if self.topology.memory > 0.0 && seconds(live) > self.topology.memory {
                let why = format!(
                    "device {device}: {live} bytes with {name} ({} x {}), of {}",
                    shape[0], shape[1], self.topology.memory
                );
                return Err(Error::new(Code::Memcap, why));
            }
            let account = self.account(device);
            account.peak = account.peak.max(live);
        }
        Ok(())
    }

    fn frees(&mut self, value: &Value) {
        for (device, shape) in value.pieces() {
            *self.live.entry(device).or_default() -= bytes(shape);
        }
    }

    fn sends(&mut self, from: Device, to: Device, n: u64) {
        if from != to {
            self.account(from).sent += n;
            self.account(to).received += n;
        }
    }

    /// So many devices work together for so long.
    fn spends(&mut self, name: &'static str, devices: &[Device], seconds: f64) {
        self.tasks.push(Task { name, devices: devices.to_vec(), seconds });
    }

    /// Before and after a function.
    fn agrees(&mut self, devices: &[Device]) {
        let seconds = self.topology.agreement;
        if seconds > 0.0 {
            self.spends("agree", devices, seconds);
        }
    }

    fn done(mut self) -> Simulation {
        // More cores than devices are none too few.
        let some = (1_u32..).take(self.out.accounts.len());
        let cores = some.take_while(|&k| f64::from(k) <= self.topology.cores).count();
        for (task, begin) in self.tasks.iter().zip(schedule(&self.tasks, cores)) {
            let &Task { name, ref devices, seconds } = task;
            let end = begin + seconds;
            for &device in devices {
                let account = self.out.accounts.entry(device).or_default();
                account.busy += seconds;
                account.end = account.end.max(end);
                self.out.events.push(Event { name, device, begin, end });
            }
            self.out.makespan = self.out.makespan.max(end);
        }
        self.out
    }

    fn message(&self, operation: &Operation, n: u64) -> f64 {
        self.topology.message(&operation.kind, seconds(n))
    }

    fn body(&mut self, body: &Body, given: Vec<Value>, scope: &Scope) -> Result<Vec<Value>> {
        let own = body.parameters.len();
        let mut values: BTreeMap<&str, Value> =
            body.parameters.iter().map(String::as_str).zip(given).collect();
        for (name, value) in body.parameters.iter().map(|name| (name, &values[name.as_str()])) {
            self.note("parameter", name, value, scope);
        }
        assert!(values.len() == own, "names differ");
        for (k, operation) in body.operations.iter().enumerate() {
            let operands: Vec<Value> =
                operation.operands.iter().map(|name| values[name.as_str()].clone()).collect();
            let made = self.operation(operation, &operands, scope)?;
            for (name, value) in operation.results.iter().zip(made) {
                // What a pmap returns its bodies have made.
                if !matches!(operation.kind, Kind::PMap { .. }) {
                    self.takes(name, &value)?;
                }
                self.note(operation.kind.name(), name, &value, scope);
                values.insert(name, value);
            }
            for name in body.dead_after(k) {
                if let Some(value) = values.remove(name) {
                    self.frees(&value);
                }
            }
        }
        Ok(body.returns.iter().map(|name| values[name.as_str()].clone()).collect())
    }

    fn note(&mut self, operation: &'static str, name: &str, value: &Value, scope: &Scope) {
        let (bound, value, pieces) = (scope.bound.to_string(), name.to_owned(), value.pieces());
        let place = place(scope.place, name);
        self.out.rows.push(Row { place, bound, value, operation, pieces });
    }

    fn members(&self, operation: &Operation, keys: &Keys, scope: &Scope) -> Result<Vec<Member>> {
        let members = self.map.node(keys, &scope.bound)?.members();
        for device in members.iter().flat_map(|member| &member.footprint) {
            if !scope.footprint.contains(device) {
                let why = format!(
                    "keys {keys} ({}) lead to device {device}, which is not among the devices {:?} of this body: another iteration may use it",
                    scope.bound, scope.footprint
                );
                return Err(wrong(Code::Overlap, operation, scope, &why));
            }
        }
        Ok(members)
    }

    fn device(&self, operation: &Operation, key: &Key, scope: &Scope) -> Result<Device> {
        let device = scope.bound.device(key, &Keys(vec![key.clone()]))?;
        if scope.footprint.contains(&device) {
            return Ok(device);
        }
        let why =
            format!("device {device} is not among the devices {:?} of this body", scope.footprint);
        Err(wrong(Code::Placement, operation, scope, &why))
    }

    /// A computation on one device.
    fn computes(
        &mut self,
        operation: &Operation,
        operands: &[Value],
        scope: &Scope,
    ) -> Result<Value> {
        let all: Vec<(Device, Shape)> = operands.iter().flat_map(Value::pieces).collect();
        let (device, a) = all[0];
        let b = all.last().map_or(a, |last| last.1);
        let no = |why: String| Err(wrong(Code::Shape, operation, scope, &why));
        let differ = format!("{} x {} and {} x {} do not fit", a[0], a[1], b[0], b[1]);
        if let Some((other, _)) = all.iter().find(|(other, _)| *other != device) {
            let why = format!("one operand is on device {device}, another on {other}");
            return Err(wrong(Code::Placement, operation, scope, &why));
        }
        let n = a[0] * a[1];
        let (shape, flops) = match operation.kind {
            Kind::MatMul if a[1] == b[0] => ([a[0], b[1]], 2 * a[0] * a[1] * b[1]),
            Kind::Solve if a[0] == a[1] && a[0] == b[0] => {
                (b, 2 * a[0] * a[0] * a[0] / 3 + 2 * a[0] * a[0] * b[1])
            }
            Kind::Add | Kind::Subtract | Kind::Multiply if a == b => (a, n),
            Kind::Transpose => ([a[1], a[0]], 0),
            Kind::Sum => ([1, 1], n),
            Kind::Elementwise(Elementwise::Relu | _) => (a, n),
            _ => return no(differ),
        };
        let moved: u64 = all.iter().map(|(_, shape)| bytes(*shape)).sum::<u64>() + bytes(shape);
        let work = Work { flops, elements: n, moved };
        let time = self.topology.computation(&operation.kind, &work);
        self.account(device).flops += flops;
        self.spends(operation.kind.name(), &[device], time);
        Ok(Value::One(device, shape))
    }

    fn operation(
        &mut self,
        operation: &Operation,
        operands: &[Value],
        scope: &Scope,
    ) -> Result<Vec<Value>> {
        let name = operation.kind.name();
        let one = |k: usize| operands[k].pieces()[0];
        let tuple = |k: usize| match &operands[k] {
            Value::Tuple(members, shapes) => (members.clone(), shapes.clone()),
            Value::One(..) => unreachable!("checked before"),
        };
        let together = |root: Device, members: &[Member]| {
            let mut devices: Vec<Device> = members.iter().map(|member| member.device).collect();
            if !devices.contains(&root) {
                devices.push(root);
            }
            devices
        };
        Ok(vec![match &operation.kind {
            Kind::Send { to } => {
                let ((from, shape), to) = (one(0), self.device(operation, to, scope)?);
                self.sends(from, to, bytes(shape));
                if from != to {
                    let time = self.message(operation, bytes(shape));
                    self.spends(name, &[from, to], time);
                }
                Value::One(to, shape)
            }
            Kind::Scatter { dim, keys } => {
                let ((root, whole), members) = (one(0), self.members(operation, keys, scope)?);
                let extent = usize::try_from(whole[*dim]).unwrap_or(usize::MAX);
                let mut shapes = vec![whole; members.len()];
                for (shape, (_, n)) in shapes.iter_mut().zip(blocks(extent, members.len())) {
                    shape[*dim] = n as u64;
                }
                let mut time = 0.0;
                for (member, shape) in members.iter().zip(&shapes) {
                    self.sends(root, member.device, bytes(*shape));
                    if member.device != root {
                        time += self.message(operation, bytes(*shape));
                    }
                }
                self.spends(name, &together(root, &members), time);
                Value::Tuple(members, shapes)
            }
            Kind::Broadcast { keys } => {
                let ((root, shape), members) = (one(0), self.members(operation, keys, scope)?);
                for member in &members {
                    self.sends(root, member.device, bytes(shape));
                }
                let devices = together(root, &members);
                let time = rounds(devices.len()) * self.message(operation, bytes(shape));
                self.spends(name, &devices, time);
                let shapes = vec![shape; members.len()];
                Value::Tuple(members, shapes)
            }
            Kind::Gather { dim, to } => {
                let ((members, shapes), to) = (tuple(0), self.device(operation, to, scope)?);
                let mut whole = shapes[0];
                fitting(operation, scope, &members, &shapes, Some(*dim))?;
                whole[*dim] = shapes.iter().map(|shape| shape[*dim]).sum();
                let mut time = 0.0;
                for (member, shape) in members.iter().zip(&shapes) {
                    self.sends(member.device, to, bytes(*shape));
                    if member.device != to {
                        time += self.message(operation, bytes(*shape));
                    }
                }
                self.spends(name, &together(to, &members), time);
                Value::One(to, whole)
            }
            Kind::Reduce { to } => {
                let ((members, shapes), to) = (tuple(0), self.device(operation, to, scope)?);
                fitting(operation, scope, &members, &shapes, None)?;
                for member in &members {
                    self.sends(member.device, to, bytes(shapes[0]));
                }
                let devices = together(to, &members);
                let time = rounds(devices.len()) * self.message(operation, bytes(shapes[0]));
                self.spends(name, &devices, time);
                Value::One(to, shapes[0])
            }
            Kind::AllReduce => {
                let (members, shapes) = tuple(0);
                fitting(operation, scope, &members, &shapes, None)?;
                self.rings(&members, shapes[0]);
                Value::Tuple(members, shapes)
            }
            Kind::Select { device } => {
                let ((members, shapes), device) =
                    (tuple(0), self.device(operation, device, scope)?);
                let found = members.iter().position(|member| member.device == device);
                let k = found.ok_or_else(|| {
                    let devices: Vec<Device> = members.iter().map(|member| member.device).collect();
                    let why = format!("device {device} is not among the devices {devices:?}");
                    wrong(Code::Placement, operation, scope, &why)
                })?;
                Value::One(device, shapes[k])
            }
            Kind::PMap { variable, body } => {
                return self.pmap(operation, (variable, body), operands, scope);
            }
            _ => self.computes(operation, operands, scope)?,
        }])
    }

    /// An allreduce round a ring: blocks of the matrix go round twice, but each for one step less.
    fn rings(&mut self, members: &[Member], shape: Shape) {
        let p = members.len();
        let elements = usize::try_from(shape[0] * shape[1]).unwrap_or(usize::MAX);
        let block = |k: usize| ELEMENT * block(elements, p, k % p).1 as u64;
        for (k, member) in members.iter().enumerate() {
            if p > 1 {
                let all = 2 * bytes(shape);
                self.account(member.device).sent += all - block(k + 1) - block(k + 2);
                self.account(member.device).received += all - block(k) - block(k + 1);
            }
        }
        let time = self.topology.allreduce(seconds(p as u64), seconds(bytes(shape)));
        let devices: Vec<Device> = members.iter().map(|member| member.device).collect();
        self.spends("allreduce", &devices, time);
    }

    fn pmap(
        &mut self,
        operation: &Operation,
        (variable, body): (&str, &Body),
        operands: &[Value],
        scope: &Scope,
    ) -> Result<Vec<Value>> {
        let Value::Tuple(members, _) = &operands[0] else { unreachable!("checked before") };
        let mut shapes = vec![Vec::new(); body.returns.len()];
        for (k, Member { device, footprint }) in members.iter().enumerate() {
            let given = operands.iter().map(|value| Value::One(*device, value.pieces()[k].1));
            let bound = scope.bound.with(variable, *device);
            let place = place_of_body(scope.place, operation, *device);
            let inner = Scope { place, home: *device, bound, footprint: footprint.clone() };
            for (r, value) in self.body(body, given.collect(), &inner)?.iter().enumerate() {
                let (at, shape) = value.pieces()[0];
                assert_eq!(at, inner.home, "checked before");
                shapes[r].push(shape);
            }
        }
        Ok(shapes.into_iter().map(|shapes| Value::Tuple(members.clone(), shapes)).collect())
    }
}

/// Rounds of a tree over so many devices.
fn rounds(devices: usize) -> f64 {
    f64::from(devices.next_power_of_two().trailing_zeros())
}

fn wrong(code: Code, operation: &Operation, scope: &Scope, why: &str) -> Error {
    let call = format!(
        "{} = {}({})",
        operation.results.join(", "),
        operation.kind.name(),
        operation.operands.join(", ")
    );
    let bound =
        if scope.bound.0.is_empty() { String::new() } else { format!(" ({})", scope.bound) };
    Error::new(code, format!("{call}{bound}: {why}"))
}

fn fitting(
    operation: &Operation,
    scope: &Scope,
    members: &[Member],
    shapes: &[Shape],
    dim: Option<usize>,
) -> Result<()> {
    for (member, shape) in members.iter().zip(shapes) {
        if (0..2).any(|i| Some(i) != dim && shape[i] != shapes[0][i]) {
            let why = format!(
                "device {} has {} x {}, device {} has {} x {}",
                members[0].device, shapes[0][0], shapes[0][1], member.device, shape[0], shape[1]
            );
            return Err(wrong(Code::Shape, operation, scope, &why));
        }
    }
    Ok(())
}

impl Simulation {
    /// Values by environment, and devices, for people to read.
    pub fn table(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{:<16} {:<12} {:<10} pieces", "environment", "value", "by");
        for row in &self.rows {
            let pieces: Vec<String> =
                row.pieces.iter().map(|(d, [m, n])| format!("({m},{n})@{d}")).collect();
            let Row { bound, value, operation, .. } = row;
            let _ = writeln!(out, "{bound:<16} {value:<12} {operation:<10} {}", pieces.join(" "));
        }
        let _ = writeln!(
            out,
            "\n{:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>14}",
            "device", "busy", "idle", "sent", "received", "peak", "flops"
        );
        for (device, a) in &self.accounts {
            let Account { sent, received, peak, flops, busy, .. } = a;
            let idle = self.makespan - busy;
            let _ = writeln!(
                out,
                "{device:>8} {busy:>12.6} {idle:>12.6} {sent:>12} {received:>12} {peak:>12} {flops:>14}"
            );
        }
        out.push_str(&self.drawing());
        let _ = writeln!(out, "\nmakespan {:.6} s", self.makespan);
        out
    }

    /// What happened when, a line for each device: by the first letters of operations, in small ones where values move.
    fn drawing(&self) -> String {
        const WIDTH: u8 = 72;
        let mut out = String::from("\n");
        let column = |time: f64| {
            let columns = time / self.makespan * f64::from(WIDTH);
            (1..=WIDTH).take_while(|&k| f64::from(k) <= columns).count()
        };
        for device in self.accounts.keys() {
            let mut line = vec!['.'; usize::from(WIDTH)];
            for event in self.events.iter().filter(|event| event.device == *device) {
                let letter = event.name.chars().next().unwrap_or(' ');
                let (begin, end) = (column(event.begin), column(event.end));
                for place in line.iter_mut().take(end).skip(begin) {
                    *place = letter;
                }
            }
            let _ = writeln!(out, "{device:>8} |{}|", line.iter().collect::<String>());
        }
        out
    }

    /// What happened when, in the format of Chrome's traces.
    pub fn trace(&self) -> String {
        let event = |event: &Event| {
            let Event { name, device, begin, end } = event;
            let (at, duration) = (begin * 1e6, (end - begin) * 1e6);
            format!(
                "{{\"name\":\"{name}\",\"ph\":\"X\",\"pid\":0,\"tid\":{device},\"ts\":{at:.3},\"dur\":{duration:.3}}}"
            )
        };
        let all: Vec<String> = self.events.iter().map(event).collect();
        format!("{{\"traceEvents\":[\n{}\n]}}\n", all.join(",\n"))
    }
}
