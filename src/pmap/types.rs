//! What a function's values are before a simulation; and all that can be wrong with a function whatever the device map.

use super::function::{Body, Extent, Extents, Function, Kind, Operation};
use super::key::{Key, Keys};
use crate::error::{Code, Error, Result};
use std::collections::BTreeMap;

/// A matrix on a device, or one on each device of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    One { extents: Extents, at: Key },
    Tuple { extents: Extents, keys: Keys },
}

impl Type {
    pub const fn extents(&self) -> &Extents {
        match self {
            Self::One { extents, .. } | Self::Tuple { extents, .. } => extents,
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::One { extents: [rows, cols], at } => write!(f, "Tensor[({rows}, {cols}), {at}]"),
            Self::Tuple { extents: [rows, cols], .. } => {
                write!(f, "Tuple[Tensor[({rows}, {cols}), ?], ...]")
            }
        }
    }
}

/// The types of a body's values.
pub type Types = BTreeMap<String, Type>;

/// Where a body stands.
pub struct Place<'a> {
    /// The device that it runs for.
    pub home: Key,
    /// The variables that are bound, the outermost first.
    pub variables: Vec<&'a str>,
}

fn wrong(code: Code, operation: &Operation, why: impl std::fmt::Display) -> Error {
    let results = operation.results.join(", ");
    Error::new(
        code,
        format!("{results} = {}({}): {why}", operation.kind.name(), operation.operands.join(", ")),
    )
}

impl Function {
    /// The types of the function's own values, or what is wrong with it. `seen` is told the types of each body.
    pub fn check(&self) -> Result<Types> {
        let parameters = self
            .extents
            .iter()
            .map(|extents| Type::One { extents: extents.clone(), at: Key::Device(self.root) });
        let place = Place { home: Key::Device(self.root), variables: Vec::new() };
        if self.body.parameters.len() != self.extents.len() {
            let why = format!(
                "{}: {} parameters with {} shapes",
                self.name,
                self.body.parameters.len(),
                self.extents.len()
            );
            return Err(Error::new(Code::Arity, why));
        }
        types_of(&self.body, parameters.collect(), &place)
    }
}

/// The types of a body's values.
pub fn types_of(body: &Body, given: Vec<Type>, place: &Place<'_>) -> Result<Types> {
    let mut types = Types::new();
    let twice = |name: &str| Error::new(Code::Scope, format!("{name} is defined twice in a body"));
    for (name, given) in body.parameters.iter().zip(given) {
        if types.insert(name.clone(), given).is_some() {
            return Err(twice(name));
        }
    }
    for operation in &body.operations {
        let made = results_of(operation, &types, place)?;
        if made.len() != operation.results.len() {
            let why = format!("it has {} results", made.len());
            return Err(wrong(Code::Arity, operation, why));
        }
        for (name, made) in operation.results.iter().zip(made) {
            if types.insert(name.clone(), made).is_some() {
                return Err(twice(name));
            }
        }
    }
    for name in &body.returns {
        match types.get(name) {
            None => {
                let why = format!(
                    "return {name}: the body does not define it; bodies see their parameters alone"
                );
                return Err(Error::new(Code::Scope, why));
            }
            Some(Type::One { at, .. }) if *at == place.home => {}
            Some(_) => {
                let why = format!("return {name}: it is not one value on device {}", place.home);
                return Err(Error::new(Code::Placement, why));
            }
        }
    }
    Ok(types)
}

fn bound(operation: &Operation, keys: &Keys, place: &Place<'_>) -> Result<()> {
    for key in &keys.0 {
        if let Key::Variable(name) = key
            && !place.variables.contains(&name.as_str())
        {
            let why = format!("keys {keys}: no enclosing pmap binds the variable {name}");
            return Err(wrong(Code::Unbound, operation, why));
        }
    }
    Ok(())
}

/// The results of an operation.
pub fn results_of(operation: &Operation, types: &Types, place: &Place<'_>) -> Result<Vec<Type>> {
    let mut operands = Vec::new();
    for name in &operation.operands {
        operands.push(types.get(name).ok_or_else(|| {
            let why = format!("the body does not define {name}; bodies see their parameters alone");
            wrong(Code::Scope, operation, why)
        })?);
    }
    if let Some(n) = operation.kind.arity()
        && n != operands.len()
    {
        return Err(wrong(Code::Arity, operation, format!("it has {n} operands")));
    }
    let one = |k: usize| match operands[k] {
        Type::One { extents, at } => Ok((extents, at)),
        Type::Tuple { keys, .. } => {
            let why =
                format!("{} is on the devices at keys {keys}, not on one", operation.operands[k]);
            Err(wrong(Code::Placement, operation, why))
        }
    };
    let tuple = |k: usize| match operands[k] {
        Type::Tuple { extents, keys } => Ok((extents, keys)),
        Type::One { at, .. } => {
            let why =
                format!("{} is on device {at}, not on those of a node", operation.operands[k]);
            Err(wrong(Code::Placement, operation, why))
        }
    };
    let both = |fits: fn(&Extents, &Extents) -> bool| {
        let ((a, at), (b, other)) = (one(0)?, one(1)?);
        if at != other {
            let why = format!("one operand is on device {at}, the other on {other}");
            return Err(wrong(Code::Placement, operation, why));
        }
        if !fits(a, b) {
            let why = format!("({}, {}) and ({}, {}) do not fit", a[0], a[1], b[0], b[1]);
            return Err(wrong(Code::Shape, operation, why));
        }
        Ok((a.clone(), b.clone(), at.clone()))
    };
    let single = |extents: Extents, at: Key| Ok(vec![Type::One { extents, at }]);
    let dim_of = |dim: usize| {
        if dim < 2 {
            return Ok(dim);
        }
        Err(wrong(Code::Shape, operation, format!("dim = {dim} is not 0 or 1")))
    };
    match &operation.kind {
        Kind::MatMul => {
            let (a, b, at) = both(|a, b| a[1] == b[0])?;
            single([a[0].clone(), b[1].clone()], at)
        }
        Kind::Add | Kind::Subtract | Kind::Multiply => {
            let (a, _, at) = both(|a, b| a == b)?;
            single(a, at)
        }
        Kind::Solve => {
            let (_, b, at) = both(|a, b| a[0] == a[1] && a[0] == b[0])?;
            single(b, at)
        }
        Kind::Transpose => {
            let ([rows, cols], at) = one(0)?;
            single([cols.clone(), rows.clone()], at.clone())
        }
        Kind::Sum => single([Extent::of("1"), Extent::of("1")], one(0)?.1.clone()),
        Kind::Elementwise(_) => {
            let (extents, at) = one(0)?;
            single(extents.clone(), at.clone())
        }
        Kind::Send { to } => {
            bound(operation, &Keys(vec![to.clone()]), place)?;
            single(one(0)?.0.clone(), to.clone())
        }
        Kind::Scatter { dim, keys } => {
            bound(operation, keys, place)?;
            let mut extents = one(0)?.0.clone();
            extents[dim_of(*dim)?].cuts.push(keys.clone());
            Ok(vec![Type::Tuple { extents, keys: keys.clone() }])
        }
        Kind::Broadcast { keys } => {
            bound(operation, keys, place)?;
            Ok(vec![Type::Tuple { extents: one(0)?.0.clone(), keys: keys.clone() }])
        }
        Kind::Gather { dim, to } => {
            let (extents, keys) = tuple(0)?;
            let mut extents = extents.clone();
            if extents[dim_of(*dim)?].cuts.pop().as_ref() != Some(keys) {
                let why = format!("dimension {dim} is not cut for keys {keys}");
                return Err(wrong(Code::Shape, operation, why));
            }
            home(operation, to, place)?;
            single(extents, to.clone())
        }
        Kind::Reduce { to } => {
            let extents = whole(operation, tuple(0)?)?;
            home(operation, to, place)?;
            single(extents, to.clone())
        }
        Kind::AllReduce => {
            let (_, keys) = tuple(0)?;
            let extents = whole(operation, tuple(0)?)?;
            Ok(vec![Type::Tuple { extents, keys: keys.clone() }])
        }
        Kind::Select { device } => {
            bound(operation, &Keys(vec![device.clone()]), place)?;
            single(whole(operation, tuple(0)?)?, device.clone())
        }
        Kind::PMap { variable, body } => {
            if operands.is_empty() || operands.len() != body.parameters.len() {
                let why = format!("the body has {} parameters", body.parameters.len());
                return Err(wrong(Code::Arity, operation, why));
            }
            if place.variables.contains(&variable.as_str()) {
                let why = format!("the variable {variable} is bound by an enclosing pmap already");
                return Err(wrong(Code::Scope, operation, why));
            }
            let keys = tuple(0)?.1;
            let home = Key::Variable(variable.clone());
            let mut given = Vec::new();
            for k in 0..operands.len() {
                let (extents, other) = tuple(k)?;
                if other != keys {
                    let why = format!(
                        "{} is on the devices at keys {keys}, {} on those at {other}",
                        operation.operands[0], operation.operands[k]
                    );
                    return Err(wrong(Code::Arity, operation, why));
                }
                given.push(Type::One { extents: extents.clone(), at: home.clone() });
            }
            let variables = place.variables.iter().copied().chain([variable.as_str()]).collect();
            let types = types_of(body, given, &Place { home, variables })?;
            let result = |name: &String| Type::Tuple {
                extents: types[name].extents().clone(),
                keys: keys.clone(),
            };
            Ok(body.returns.iter().map(result).collect())
        }
    }
}

fn home(operation: &Operation, to: &Key, place: &Place<'_>) -> Result<()> {
    if *to == place.home {
        return Ok(());
    }
    let why = format!("device {to} is not {}, that of the body", place.home);
    Err(wrong(Code::Placement, operation, why))
}

/// Extents that all pieces share.
fn whole(operation: &Operation, (extents, keys): (&Extents, &Keys)) -> Result<Extents> {
    if let Some(dim) = extents.iter().position(|extent| extent.cuts.contains(keys)) {
        let why =
            format!("dimension {dim} is cut for keys {keys}: the pieces are parts of a matrix");
        return Err(wrong(Code::Shape, operation, why));
    }
    Ok(extents.clone())
}
