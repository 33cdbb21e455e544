//! Runs a function on the ranks of an engine: each of its operations is a call of the engine, or a computation on one device.

use super::engine::{Engine, Shapes, hash};
use super::exchange::SHAPES;
use super::local::compute;
use super::value::{Piece, Shape, Value};
use crate::error::{Code, Error, Result};
use crate::matrix::Owned;
use crate::pmap::{
    Body, Function, Key, Keys, Kind, Operation, Row, Topology, place, place_of_body,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// An execution on this rank.
struct Execution<'a> {
    shapes: &'a Shapes,
    /// Of the first computation that failed.
    failure: Option<Error>,
}

/// Gives placeholders their shapes.
fn fill(value: &mut Value, shapes: Option<&Vec<Shape>>) {
    for (piece, &shape) in value.pieces_mut().iter_mut().zip(shapes.into_iter().flatten()) {
        piece.shape = Some(shape);
    }
}

impl Engine {
    /// The values that a function returns, on its root. Collective over all ranks, outside of bodies; all learn the first
    /// failure of any. First the ranks compare what they have: ranks that ran different functions would wait for each other. They
    /// learn the shapes of the inputs, too, and so of all values. Then nothing but a computation can fail, and the rank where one
    /// does goes on with zeros until all learn of it: so the calls need not ask whether the others come.
    pub fn execute(&mut self, function: &Function, inputs: &[&Value]) -> Result<Vec<Value>> {
        let what = hash(function);
        let ready = self.ready(function, what, inputs);
        if self.is_within() {
            return Err(ready.err().unwrap_or_else(|| {
                Error::new(Code::Placement, "execute: this rank runs the body of a pmap")
            }));
        }
        let given = self.compare(function, what, ready)?;
        let given: Vec<Shape> = given.into_iter().flatten().collect();
        let outcome = self.run_simulated(function, what, &given, inputs);
        self.agree(what, outcome.as_ref().map(|_| ()).map_err(Clone::clone))?;
        outcome
    }

    /// The same of a function that needs no other rank, on the root.
    pub(super) fn run_alone(
        &mut self,
        function: &Function,
        inputs: &[&Value],
    ) -> Result<Vec<Value>> {
        let what = hash(function);
        let given: Vec<Shape> = self.ready(function, what, inputs)?.into_iter().flatten().collect();
        self.run_simulated(function, what, &given, inputs)
    }

    fn run_simulated(
        &mut self,
        function: &Function,
        what: u64,
        given: &[Shape],
        inputs: &[&Value],
    ) -> Result<Vec<Value>> {
        let shapes = self.shapes(function, what, given)?;
        let with_shape = |(name, &value): (&String, &&Value)| {
            let mut value = value.clone();
            fill(&mut value, shapes.get(&place(0, name)));
            value
        };
        let given = function.body.parameters.iter().zip(inputs).map(with_shape).collect();
        let mut run = Execution { shapes: &shapes, failure: None };
        self.is_simulated = true;
        let values = self.body(&function.body, given, 0, &mut run);
        self.is_simulated = false;
        values.and_then(|values| run.failure.map_or(Ok(values), Err))
    }

    fn compare(
        &mut self,
        function: &Function,
        what: u64,
        ready: Result<Vec<Option<Shape>>>,
    ) -> Result<Vec<Option<Shape>>> {
        self.agree_on(what, ready).map_err(|error| match error.code {
            Code::Mismatch => {
                let why = format!(
                    "execute: ranks have different functions; this one has {} with {} inputs and {} operations",
                    function.name,
                    function.extents.len(),
                    function.body.operations.len()
                );
                Error::new(Code::Mismatch, why)
            }
            _ => error,
        })
    }

    /// The shapes of the inputs, which the root knows, or what is wrong with a call of the function before it begins.
    fn ready(
        &mut self,
        function: &Function,
        what: u64,
        inputs: &[&Value],
    ) -> Result<Vec<Option<Shape>>> {
        let Function { name, root, extents, .. } = function;
        if inputs.len() != extents.len() {
            let why = format!("execute: {name} has {} inputs, not {}", extents.len(), inputs.len());
            return Err(Error::new(Code::Arity, why));
        }
        if inputs.len() > SHAPES {
            let why = format!("execute: {name} has {} inputs, more than {SHAPES}", inputs.len());
            return Err(Error::new(Code::Limit, why));
        }
        if self.home() != *root {
            let why = format!(
                "execute: the root of {name} is device {root}, that of the engine is {}",
                self.home()
            );
            return Err(Error::new(Code::Placement, why));
        }
        let mut shapes = Vec::new();
        for (parameter, value) in function.body.parameters.iter().zip(inputs) {
            let piece = value.one("execute", parameter)?.sound()?;
            if piece.device != *root {
                let why = format!(
                    "execute: {parameter} is on device {}, not on the root {root} of {name}",
                    piece.device
                );
                return Err(Error::new(Code::Placement, why));
            }
            shapes.extend(piece.shape);
        }
        if self.device() != *root {
            return Ok(Vec::new());
        }
        self.shapes(function, what, &shapes)?;
        Ok(shapes.into_iter().map(Some).collect())
    }

    /// The shapes of all values, of a function with inputs of these shapes: found once by a simulation.
    fn shapes(&mut self, function: &Function, what: u64, inputs: &[Shape]) -> Result<Rc<Shapes>> {
        let key = hash((what, inputs));
        if let Some(known) = self.simulated.get(&key) {
            return Ok(known.clone());
        }
        let sizes = function.sizes(inputs)?;
        let found = function.simulate(&sizes, self.map(), Topology::default())?;
        let extent = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let shapes = |row: Row| {
            let pieces = row.pieces.iter().map(|(_, shape)| shape.map(extent));
            (row.place, pieces.collect())
        };
        let shapes: Rc<Shapes> = Rc::new(found.rows.into_iter().map(shapes).collect());
        self.simulated.insert(key, shapes.clone());
        Ok(shapes)
    }

    fn body(
        &mut self,
        body: &Body,
        given: Vec<Value>,
        at: u64,
        run: &mut Execution<'_>,
    ) -> Result<Vec<Value>> {
        let mut values: BTreeMap<&str, Value> =
            body.parameters.iter().map(String::as_str).zip(given).collect();
        for (k, operation) in body.operations.iter().enumerate() {
            let operands: Vec<&Value> =
                operation.operands.iter().map(|name| &values[name.as_str()]).collect();
            let made = self.operation(operation, &operands, at, run)?;
            for (name, mut value) in operation.results.iter().zip(made) {
                fill(&mut value, run.shapes.get(&place(at, name)));
                values.insert(name, value);
            }
            for name in body.dead_after(k) {
                values.remove(name);
            }
        }
        Ok(body.returns.iter().map(|name| values[name.as_str()].clone()).collect())
    }

    fn operation(
        &mut self,
        operation: &Operation,
        operands: &[&Value],
        at: u64,
        run: &mut Execution<'_>,
    ) -> Result<Vec<Value>> {
        let device =
            |engine: &Self, key: &Key| engine.bound().device(key, &Keys(vec![key.clone()]));
        Ok(vec![match &operation.kind {
            Kind::PMap { variable, body } => {
                let (entered, iteration) = self.enter(variable, operands)?;
                let outcome = iteration.map(|iteration| {
                    let inner = place_of_body(at, operation, iteration.device);
                    self.body(body, iteration.inputs, inner, run)
                });
                return self.leave(entered, outcome, body.returns.len());
            }
            Kind::Send { to } => {
                let to = device(self, to)?;
                self.send(operands[0], to)?
            }
            Kind::Scatter { dim, keys } => self.scatter(operands[0], *dim, keys)?,
            Kind::Broadcast { keys } => self.broadcast(operands[0], keys)?,
            Kind::Gather { dim, .. } => self.gather(operands[0], *dim)?,
            Kind::Reduce { .. } => self.reduce(operands[0])?,
            Kind::AllReduce => self.allreduce(operands[0])?,
            Kind::Select { device: key } => {
                let device = device(self, key)?;
                self.select(operands[0], Some(device))?
            }
            kind => self.computes(operation, kind, operands).or_else(|error| {
                let shape = run.shapes[&place(at, &operation.results[0])][0];
                run.failure.get_or_insert(error);
                Owned::zeros(shape[0], shape[1])
                    .map(|zeros| Value::One(Piece::new(self.device(), zeros)))
            })?,
        }])
    }

    /// A computation where the operands are; elsewhere its result is a placeholder.
    fn computes(&self, operation: &Operation, kind: &Kind, operands: &[&Value]) -> Result<Value> {
        let mut matrices: Vec<&Owned> = Vec::new();
        let mut at = None;
        for (name, value) in operation.operands.iter().zip(operands) {
            let piece = value.one(kind.name(), name)?.sound()?;
            if *at.get_or_insert(piece.device) != piece.device {
                let why = format!("{}: {name} is on device {}", kind.name(), piece.device);
                return Err(Error::new(Code::Placement, why));
            }
            matrices.extend(piece.matrix.as_deref());
        }
        let device = at.unwrap_or_default();
        if device != self.device() {
            return Ok(Value::One(Piece::placeholder(device, None)));
        }
        let made = compute(kind, &matrices).map_err(|error| {
            let results = operation.results.join(", ");
            let call = format!("{results} = {}({})", kind.name(), operation.operands.join(", "));
            let bound = self.bound().to_string();
            let at = if bound.is_empty() { bound } else { format!(" ({bound})") };
            Error::new(error.code, format!("{call}{at}: {}", error.message))
        })?;
        Ok(Value::One(Piece::new(device, made)))
    }
}

impl Function {
    /// The extents that parameters of these shapes give the function's names, as `simulate` reads them.
    fn sizes(&self, shapes: &[Shape]) -> Result<String> {
        let mut sizes: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        for ((extents, shape), name) in self.extents.iter().zip(shapes).zip(&self.body.parameters) {
            for (extent, &n) in extents.iter().zip(shape) {
                let base = extent.base.as_str();
                let (expected, why) = match base.parse::<usize>() {
                    Ok(number) => (number, String::new()),
                    Err(_) => {
                        let &mut (known, of) = sizes.entry(base).or_insert((n, name));
                        (known, format!(": {base} is {known} in {of}"))
                    }
                };
                if expected != n {
                    let why = format!(
                        "execute: {name} is {} x {}, not ({}, {}){why}",
                        shape[0], shape[1], extents[0], extents[1]
                    );
                    return Err(Error::new(Code::Shape, why));
                }
            }
        }
        let size = |(base, (n, _)): (&&str, &(usize, &str))| format!("{base}={n}");
        Ok(sizes.iter().map(size).collect::<Vec<_>>().join(", "))
    }
}
