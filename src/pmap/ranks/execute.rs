//! Runs a function on the ranks of an engine: each of its operations is a call of the engine, or a computation on one device.

use super::engine::{Engine, hash};
use super::local::compute;
use super::value::{Piece, Shape, Value};
use crate::error::{Code, Error, Result};
use crate::matrix::Owned;
use crate::pmap::{Body, Function, Key, Keys, Kind, Operation, Topology};
use std::collections::BTreeMap;

impl Engine {
    /// The values that a function returns, on its root. Collective over all ranks, outside of bodies; all learn the first
    /// failure of any. First the ranks compare what they have: ranks that ran different functions would wait for each other.
    pub fn execute(&mut self, function: &Function, inputs: &[&Value]) -> Result<Vec<Value>> {
        let what = hash(function);
        let ready = self.ready(function, inputs);
        if self.is_within() {
            return Err(ready.err().unwrap_or_else(|| {
                Error::new(Code::Placement, "execute: this rank runs the body of a pmap")
            }));
        }
        self.compare(function, what, ready)?;
        let given = inputs.iter().map(|&value| value.clone()).collect();
        let outcome = self.body(&function.body, given);
        self.agree(what, outcome.as_ref().map(|_| ()).map_err(Clone::clone))?;
        outcome
    }

    fn compare(&mut self, function: &Function, what: u64, ready: Result<()>) -> Result<()> {
        self.agree(what, ready).map_err(|error| match error.code {
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

    /// What is wrong with a call of the function before it begins. The root knows the shapes: it simulates the function once for
    /// each set of sizes.
    fn ready(&mut self, function: &Function, inputs: &[&Value]) -> Result<()> {
        let Function { name, root, extents, .. } = function;
        if inputs.len() != extents.len() {
            let why = format!("execute: {name} has {} inputs, not {}", extents.len(), inputs.len());
            return Err(Error::new(Code::Arity, why));
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
            return Ok(());
        }
        let sizes = function.sizes(&shapes)?;
        let key = hash((function, &sizes));
        if !self.simulated.contains(&key) {
            function.simulate(&sizes, self.map(), Topology::default())?;
            self.simulated.insert(key);
        }
        Ok(())
    }

    fn body(&mut self, body: &Body, given: Vec<Value>) -> Result<Vec<Value>> {
        let mut values: BTreeMap<&str, Value> =
            body.parameters.iter().map(String::as_str).zip(given).collect();
        for (k, operation) in body.operations.iter().enumerate() {
            let operands: Vec<&Value> =
                operation.operands.iter().map(|name| &values[name.as_str()]).collect();
            let made = self.operation(operation, &operands)?;
            values.extend(operation.results.iter().map(String::as_str).zip(made));
            for name in body.dead_after(k) {
                values.remove(name);
            }
        }
        Ok(body.returns.iter().map(|name| values[name.as_str()].clone()).collect())
    }

    fn operation(&mut self, operation: &Operation, operands: &[&Value]) -> Result<Vec<Value>> {
        let device =
            |engine: &Self, key: &Key| engine.bound().device(key, &Keys(vec![key.clone()]));
        Ok(vec![match &operation.kind {
            Kind::PMap { variable, body } => {
                let (run, iteration) = self.enter(variable, operands)?;
                let outcome = iteration.map(|iteration| self.body(body, iteration.inputs));
                return self.leave(run, outcome, body.returns.len());
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
            kind => self.computes(operation, kind, operands)?,
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
