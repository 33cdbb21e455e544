//! The one transform: a body runs on the devices of a node, with its inputs cut or copied, and its results combined.

use super::function::{Body, Function, Kind, Operation};
use super::key::{Key, Keys};
use crate::error::{Code, Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// What one device has of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// All of it.
    Replicated,
    /// Some rows (0) or columns (1).
    Split(usize),
    /// A matrix of its shape: the sum over all devices is the value.
    Partial,
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Replicated => f.write_str("replicated"),
            Self::Split(dim) => write!(f, "split along dim {dim}"),
            Self::Partial => f.write_str("a partial sum"),
        }
    }
}

type Shares = BTreeMap<String, Share>;

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Sharding<'a> {
    /// The variables of the pmaps that lead to the body; none is the function itself.
    pub scope: &'a [String],
    pub keys: Keys,
    /// How inputs are cut; others are copied.
    pub split: BTreeMap<String, usize>,
    /// Sums of partial results by a reduction to the body's device, and not on all devices of the node.
    pub reduce: bool,
    /// Only what makes these values is sharded, and the rest of the body stays on its device; none: all of it is sharded.
    pub until: &'a [String],
}

fn refused(operation: &Operation, shares: &[Share], why: &str) -> Error {
    let of: Vec<String> = operation
        .operands
        .iter()
        .zip(shares)
        .map(|(name, share)| format!("{name} is {share}"))
        .collect();
    let text = format!(
        "{} = {}({}) cannot be sharded: {}; {why}",
        operation.results.join(", "),
        operation.kind.name(),
        operation.operands.join(", "),
        of.join(", ")
    );
    Error::new(Code::Sharding, text)
}

/// The shares of an operation's results.
fn through(operation: &Operation, shares: &[Share]) -> Result<Vec<Share>> {
    use Share::{Partial, Replicated, Split};
    let no = |why: &str| Err(refused(operation, shares, why));
    let one = match (&operation.kind, shares) {
        (_, all)
            if all.iter().all(|share| *share == Replicated) && operation.results.len() == 1 =>
        {
            Replicated
        }
        (Kind::MatMul, [Split(0), Replicated]) => Split(0),
        (Kind::MatMul, [Replicated, Split(1)]) => Split(1),
        (Kind::MatMul, [Split(1), Split(0)] | [Partial, Replicated] | [Replicated, Partial]) => {
            Partial
        }
        (Kind::MatMul, _) => return no("a product needs rows, columns, or both inner extents cut"),
        (Kind::Add | Kind::Subtract, [a, b]) if a == b => *a,
        (Kind::Add | Kind::Subtract, _) => return no("terms must be shared alike"),
        (Kind::Multiply, [Split(a), Split(b)]) if a == b => Split(*a),
        (Kind::Multiply, [Partial, Replicated] | [Replicated, Partial]) => Partial,
        (Kind::Multiply, _) => return no("factors must be split alike, or one be replicated"),
        (Kind::Transpose, [Split(dim)]) => Split(1 - dim),
        (Kind::Transpose, [share]) => *share,
        (Kind::Sum, [_]) => Partial,
        (Kind::Solve, [Replicated, share @ (Split(1) | Partial)]) => *share,
        (Kind::Solve, _) => return no("a system needs its matrix and all rows"),
        (Kind::Elementwise(function), [Partial]) if !function.is_linear() => {
            return no("the function of a sum is not the sum of the functions");
        }
        (Kind::PMap { body, .. }, _) => {
            let inside = body.parameters.iter().cloned().zip(shares.iter().copied()).collect();
            let inside = all(body, inside)?;
            return Ok(body.returns.iter().map(|name| inside[name]).collect());
        }
        // What only moves, and sums over the devices of another node, keep the share.
        (_, [share]) => *share,
        _ => return no("no rule is known"),
    };
    Ok(vec![one])
}

fn all(body: &Body, mut shares: Shares) -> Result<Shares> {
    for operation in &body.operations {
        let of: Vec<Share> = operation.operands.iter().map(|name| shares[name]).collect();
        let made = through(operation, &of)?;
        shares.extend(operation.results.iter().cloned().zip(made));
    }
    Ok(shares)
}

/// Calls `f` for the body that the variables lead to, with the device that it runs for.
fn within<R>(
    body: &mut Body,
    home: Key,
    scope: &[String],
    f: impl FnOnce(&mut Body, Key) -> Result<R>,
) -> Result<R> {
    let Some((first, rest)) = scope.split_first() else { return f(body, home) };
    let mut known = Vec::new();
    for operation in &mut body.operations {
        if let Kind::PMap { variable, body } = &mut operation.kind {
            if *variable == *first {
                return within(body, Key::Variable(first.clone()), rest, f);
            }
            known.push(variable.clone());
        }
    }
    let why = format!("scope: no pmap here binds the variable {first}; there are {known:?}");
    Err(Error::new(Code::Scope, why))
}

fn variables(body: &Body, found: &mut BTreeSet<String>) {
    for operation in &body.operations {
        if let Kind::PMap { variable, body } = &operation.kind {
            found.insert(variable.clone());
            variables(body, found);
        }
    }
}

/// Lets a body that ran for device `home` run for `variable`, and its nodes lie below `keys` and that.
fn lowered(body: &mut Body, home: &Key, keys: &Keys, variable: &Key) {
    let device = |key: &mut Key| {
        if key == home {
            key.clone_from(variable);
        }
    };
    let node = |of: &mut Keys| {
        if let Some(below) = of.0.strip_prefix(keys.0.as_slice()) {
            *of = Keys([keys.0.as_slice(), std::slice::from_ref(variable), below].concat());
        }
    };
    for operation in &mut body.operations {
        match &mut operation.kind {
            Kind::Send { to } | Kind::Gather { to, .. } | Kind::Reduce { to } => device(to),
            Kind::Select { device: of } => device(of),
            Kind::Scatter { keys, .. } | Kind::Broadcast { keys } => node(keys),
            Kind::PMap { body, .. } => lowered(body, home, keys, variable),
            _ => {}
        }
    }
}

impl Function {
    /// The function with one of its bodies on the devices of a node.
    pub fn shard(&self, how: &Sharding<'_>) -> Result<Self> {
        self.check()?;
        let mut made = self.clone();
        let mut used = BTreeSet::new();
        variables(&self.body, &mut used);
        let variable = (1..).map(|n| "d".repeat(n)).find(|name| !used.contains(name));
        let variable = variable.expect("a name that is free");
        within(&mut made.body, Key::Device(self.root), how.scope, |body, home| {
            let mut taken: BTreeSet<String> = body.parameters.iter().cloned().collect();
            *body = if how.until.is_empty() {
                sharded(body, taken, &home, &variable, how)?
            } else {
                let (part, rest) = parted(body, how.until)?;
                taken.extend(rest.iter().flat_map(|operation| operation.results.clone()));
                followed(sharded(&part, taken, &home, &variable, how)?, rest, body, how.until)
            };
            Ok(())
        })?;
        made.check()?;
        Ok(made)
    }

    /// `shard` with these inputs cut by rows.
    pub fn data_parallel(&self, scope: &[String], keys: &Keys, inputs: &[String]) -> Result<Self> {
        let split = inputs.iter().map(|name| (name.clone(), 0)).collect();
        self.shard(&Sharding { scope, keys: keys.clone(), split, reduce: false, until: &[] })
    }

    /// `shard` with the second factors of products cut by columns and rows in turn.
    pub fn horizontal_parallel(&self, scope: &[String], keys: &Keys, reduce: bool) -> Result<Self> {
        let mut copy = self.clone();
        let split =
            within(&mut copy.body, Key::Device(self.root), scope, |body, _| Ok(turns(body)))?;
        self.shard(&Sharding { scope, keys: keys.clone(), split, reduce, until: &[] })
    }
}

/// Columns of the first factor, rows of the next, and so on.
fn turns(body: &Body) -> BTreeMap<String, usize> {
    let mut split = BTreeMap::new();
    let mut shares: Shares =
        body.parameters.iter().map(|name| (name.clone(), Share::Replicated)).collect();
    for operation in &body.operations {
        let share_of = |shares: &Shares, k: usize| {
            operation.operands.get(k).and_then(|name| shares.get(name)).copied()
        };
        let second = operation
            .operands
            .get(1)
            .filter(|name| body.parameters.contains(name) && !split.contains_key(*name));
        if let Some(second) = second {
            let dim = match (&operation.kind, share_of(&shares, 0)) {
                (Kind::MatMul, Some(Share::Replicated)) => Some(1),
                (Kind::MatMul, Some(Share::Split(1))) => Some(0),
                (Kind::Add | Kind::Subtract | Kind::Multiply, Some(Share::Split(dim))) => Some(dim),
                _ => None,
            };
            if let Some(dim) = dim {
                split.insert(second.clone(), dim);
                shares.insert(second.clone(), Share::Split(dim));
            }
        }
        let of: Vec<Share> =
            operation.operands.iter().filter_map(|name| shares.get(name).copied()).collect();
        // What cannot be sharded is told by `shard`.
        if let Ok(made) = through(operation, &of) {
            shares.extend(operation.results.iter().cloned().zip(made));
        }
    }
    split
}

/// The part of a body that makes some values, as a body of its own; and what is left.
fn parted(body: &Body, until: &[String]) -> Result<(Body, Vec<Operation>)> {
    let mut needed: BTreeSet<&String> = until.iter().collect();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for operation in body.operations.iter().rev() {
        if operation.results.iter().any(|name| needed.contains(name)) {
            needed.extend(&operation.operands);
            first.push(operation.clone());
        } else {
            rest.push(operation.clone());
        }
    }
    let made = |name: &String| first.iter().any(|operation| operation.results.contains(name));
    if let Some(name) = until.iter().find(|name| !made(name)) {
        let why = format!("until: no operation of this body makes {name}");
        return Err(Error::new(Code::Scope, why));
    }
    let read = rest.iter().flat_map(|operation| &operation.operands).chain(&body.returns);
    if let Some(name) = read.into_iter().find(|name| made(name) && !until.contains(name)) {
        let why = format!("until: {name} is made before {until:?} and read after: name it, too");
        return Err(Error::new(Code::Scope, why));
    }
    first.reverse();
    rest.reverse();
    let parameters = body.parameters.iter().filter(|name| needed.contains(name)).cloned().collect();
    let part = Body { parameters, operations: first, returns: until.to_vec() };
    Ok((part, rest))
}

/// The rest of `body` behind its part, which gives `until` under names of its own.
fn followed(part: Body, rest: Vec<Operation>, body: &Body, until: &[String]) -> Body {
    let named = |name: &String| {
        let found = until.iter().position(|other| other == name);
        found.map_or_else(|| name.clone(), |k| part.returns[k].clone())
    };
    let rest = rest.into_iter().map(|mut operation| {
        operation.operands = operation.operands.iter().map(named).collect();
        operation
    });
    Body {
        parameters: body.parameters.clone(),
        operations: part.operations.iter().cloned().chain(rest).collect(),
        returns: body.returns.iter().map(named).collect(),
    }
}

/// A body on the devices of a node. Its values get other names than those that are taken.
fn sharded(
    body: &Body,
    mut taken: BTreeSet<String>,
    home: &Key,
    variable: &str,
    how: &Sharding<'_>,
) -> Result<Body> {
    for (name, dim) in &how.split {
        if !body.parameters.contains(name) {
            let why =
                format!("{name} is not among the parameters {:?} of this body", body.parameters);
            return Err(Error::new(Code::Scope, why));
        }
        if *dim > 1 {
            let why = format!("{name}: dim = {dim} is not 0 or 1");
            return Err(Error::new(Code::Shape, why));
        }
    }
    let share =
        |name: &String| how.split.get(name).map_or(Share::Replicated, |&dim| Share::Split(dim));
    let inputs = body.parameters.iter().map(|name| (name.clone(), share(name))).collect();
    let shares = all(body, inputs)?;
    let mut fresh = |wanted: String| {
        let name = std::iter::successors(Some(wanted), |name| Some(format!("{name}_")))
            .find(|name| !taken.contains(name))
            .expect("a name that is free");
        taken.insert(name.clone());
        name
    };
    let mut made = Body { parameters: body.parameters.clone(), ..Body::default() };
    let mut operands = Vec::new();
    for name in &body.parameters {
        let tuple = fresh(format!("{name}s"));
        let keys = how.keys.clone();
        let kind = match how.split.get(name) {
            Some(&dim) => Kind::Scatter { dim, keys },
            None => Kind::Broadcast { keys },
        };
        made.operations.push(Operation {
            results: vec![tuple.clone()],
            kind,
            operands: vec![name.clone()],
        });
        operands.push(tuple);
    }
    let mut inner = body.clone();
    lowered(&mut inner, home, &how.keys, &Key::Variable(variable.to_owned()));
    let results: Vec<String> = body.returns.iter().map(|name| fresh(format!("{name}s"))).collect();
    let kind = Kind::PMap { variable: variable.to_owned(), body: Box::new(inner) };
    made.operations.push(Operation { results: results.clone(), kind, operands });
    for (name, tuple) in body.returns.iter().zip(results) {
        let result = fresh(name.clone());
        let mut from = tuple;
        let kind = match shares[name] {
            Share::Split(dim) => Kind::Gather { dim, to: home.clone() },
            Share::Partial if how.reduce => Kind::Reduce { to: home.clone() },
            Share::Partial => {
                let sums = fresh(format!("{from}_sum"));
                made.operations.push(Operation {
                    results: vec![sums.clone()],
                    kind: Kind::AllReduce,
                    operands: vec![from],
                });
                from = sums;
                Kind::Select { device: home.clone() }
            }
            Share::Replicated => Kind::Select { device: home.clone() },
        };
        made.operations.push(Operation {
            results: vec![result.clone()],
            kind,
            operands: vec![from],
        });
        made.returns.push(result);
    }
    Ok(made)
}
