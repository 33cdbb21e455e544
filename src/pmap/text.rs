//! Functions as text.

use super::function::{Body, Elementwise, Extent, Extents, Function, Kind, Operation};
use super::key::{Device, Key, Keys, device};
use super::scan::Scan;
use super::types::{Place, Type, Types, types_of};
use crate::error::{Code, Error, Result};
use std::fmt::Write;

/// Bodies within each other at most: the functions here call themselves.
const DEEPEST: usize = 100;

impl Function {
    /// The function as a text that `parse` reads. Devices below the root are `?`: a simulation finds them.
    pub fn print(&self) -> Result<String> {
        let types = self.check()?;
        let typed = |name: &String| format!("{name}: {}", types[name]);
        let parameters: Vec<String> = self.body.parameters.iter().map(typed).collect();
        let mut out = format!("def {}({}):\n", self.name, parameters.join(", "));
        let place = Place { home: Key::Device(self.root), variables: Vec::new() };
        print_body(&mut out, &self.body, &types, &place, 4)?;
        Ok(out)
    }

    /// The function of such a text. The types of results are worked out anew: what the text says of them is passed over.
    pub fn parse(text: &str) -> Result<Self> {
        let mut scan = Scan::new("function", text);
        scan.expect("def")?;
        let name = scan.name()?.to_owned();
        scan.expect("(")?;
        let (mut parameters, mut extents, mut root) = (Vec::new(), Vec::new(), None);
        while !scan.takes(")") {
            parameters.push(scan.name()?.to_owned());
            scan.expect(":")?;
            scan.expect("Tensor")?;
            scan.expect("[")?;
            extents.push(parse_extents(&mut scan)?);
            scan.expect(",")?;
            let at = device("function", scan.item())?;
            scan.expect("]")?;
            if root.is_some_and(|root| root != at) {
                let why = format!("function {name}: parameters on devices {root:?} and {at}");
                return Err(Error::new(Code::Placement, why));
            }
            root = Some(at);
            if !scan.sees(")") {
                scan.expect(",")?;
            }
        }
        scan.expect(":")?;
        let root: Device = root.unwrap_or_default();
        let body = parse_body(&mut scan, parameters, 0)?;
        scan.end()?;
        let function = Self { name, root, extents, body };
        function.check()?;
        Ok(function)
    }
}

fn parse_extents(scan: &mut Scan<'_>) -> Result<Extents> {
    scan.expect("(")?;
    let rows = parse_extent(scan)?;
    scan.expect(",")?;
    let cols = parse_extent(scan)?;
    scan.expect(")")?;
    Ok([rows, cols])
}

fn parse_extent(scan: &mut Scan<'_>) -> Result<Extent> {
    let base = scan.word();
    if base.is_empty() {
        return Err(scan.wrong("a number or a name is expected"));
    }
    Ok(Extent::of(base))
}

/// Passes a type.
fn pass_type(scan: &mut Scan<'_>) -> Result<()> {
    if !scan.takes("Tuple") {
        scan.expect("Tensor")?;
    }
    scan.balanced()
}

fn parse_body(scan: &mut Scan<'_>, parameters: Vec<String>, depth: usize) -> Result<Body> {
    if depth > DEEPEST {
        return Err(Error::new(
            Code::Limit,
            format!("function: more than {DEEPEST} bodies within each other"),
        ));
    }
    let mut body = Body { parameters, ..Body::default() };
    loop {
        let mut results = vec![scan.name()?.to_owned()];
        if results[0] == "return" {
            loop {
                body.returns.push(scan.name()?.to_owned());
                if !scan.takes(",") {
                    return Ok(body);
                }
            }
        }
        loop {
            if scan.takes(":") {
                pass_type(scan)?;
            }
            if !scan.takes(",") {
                break;
            }
            results.push(scan.name()?.to_owned());
        }
        scan.expect("=")?;
        let name = scan.name()?.to_owned();
        scan.expect("(")?;
        let operation = if name == "pmap" {
            parse_pmap(scan, results, depth)?
        } else {
            parse_call(scan, &name, results)?
        };
        scan.expect(")")?;
        body.operations.push(operation);
    }
}

fn parse_pmap(scan: &mut Scan<'_>, results: Vec<String>, depth: usize) -> Result<Operation> {
    scan.expect("lambda")?;
    let variable = scan.name()?.to_owned();
    scan.expect(":")?;
    scan.expect("lambda")?;
    scan.expect("(")?;
    let mut parameters = Vec::new();
    while !scan.takes(")") {
        parameters.push(scan.name()?.to_owned());
        if scan.takes(":") {
            pass_type(scan)?;
        }
        if !scan.sees(")") {
            scan.expect(",")?;
        }
    }
    scan.expect(":")?;
    scan.expect("{")?;
    let body = Box::new(parse_body(scan, parameters, depth + 1)?);
    scan.expect("}")?;
    scan.expect(",")?;
    scan.expect("(")?;
    let mut operands = Vec::new();
    while !scan.takes(")") {
        operands.push(scan.name()?.to_owned());
        if !scan.sees(")") {
            scan.expect(",")?;
        }
    }
    scan.takes(",");
    Ok(Operation { results, kind: Kind::PMap { variable, body }, operands })
}

fn parse_call(scan: &mut Scan<'_>, name: &str, results: Vec<String>) -> Result<Operation> {
    let (mut operands, mut dim, mut keys, mut to) = (Vec::new(), None, None, None);
    while !scan.sees(")") {
        let word = scan.name()?;
        if scan.takes("=") {
            match word {
                "dim" => dim = scan.item().parse::<usize>().ok(),
                "device_keys" => keys = Some(Keys::scan(scan)?),
                "to_device" | "device" => to = Some(Key::scan(scan)?),
                _ => return Err(scan.wrong("dim, device_keys, device or to_device is expected")),
            }
        } else {
            operands.push(word.to_owned());
        }
        if !scan.sees(")") {
            scan.expect(",")?;
        }
    }
    let needs = |what: &str| {
        Error::new(
            Code::Argument,
            format!("function: {} = {name}(...) needs {what}", results.join(", ")),
        )
    };
    let dim = || dim.ok_or_else(|| needs("dim=, 0 or 1"));
    let keys = || keys.clone().ok_or_else(|| needs("device_keys="));
    let device = |what: &str| to.clone().ok_or_else(|| needs(what));
    let kind = match name {
        "send" => Kind::Send { to: device("to_device=")? },
        "scatter" => Kind::Scatter { dim: dim()?, keys: keys()? },
        "broadcast" => Kind::Broadcast { keys: keys()? },
        "gather" => Kind::Gather { dim: dim()?, to: device("to_device=")? },
        "reduce" => Kind::Reduce { to: device("to_device=")? },
        "select" => Kind::Select { device: device("device=")? },
        _ => Kind::plain(name).ok_or_else(|| {
            let known: Vec<&str> = Elementwise::ALL.iter().map(|(_, name)| *name).collect();
            let why = format!(
                "function: there is no operation {name}; elementwise ones are {}",
                known.join(", ")
            );
            Error::new(Code::Argument, why)
        })?,
    };
    Ok(Operation { results, kind, operands })
}

fn print_body(
    out: &mut String,
    body: &Body,
    types: &Types,
    place: &Place<'_>,
    indent: usize,
) -> Result<()> {
    let margin = " ".repeat(indent);
    for operation in &body.operations {
        let typed = |name: &String| format!("{name}: {}", types[name]);
        let results: Vec<String> = operation.results.iter().map(typed).collect();
        let operands = operation.operands.join(", ");
        let name = operation.kind.name();
        let attributes = match &operation.kind {
            Kind::Send { to } | Kind::Reduce { to } => format!(", to_device={to}"),
            Kind::Scatter { dim, keys } => format!(", dim={dim}, device_keys={keys}"),
            Kind::Broadcast { keys } => format!(", device_keys={keys}"),
            Kind::Gather { dim, to } => format!(", dim={dim}, to_device={to}"),
            Kind::Select { device } => format!(", device={device}"),
            Kind::PMap { variable, body } => {
                let home = Key::Variable(variable.clone());
                let inside: Vec<Type> = operation
                    .operands
                    .iter()
                    .map(|name| Type::One {
                        extents: types[name].extents().clone(),
                        at: home.clone(),
                    })
                    .collect();
                let given: Vec<String> = body
                    .parameters
                    .iter()
                    .zip(&inside)
                    .map(|(name, given)| format!("{name}: {given}"))
                    .collect();
                let variables =
                    place.variables.iter().copied().chain([variable.as_str()]).collect();
                let within = Place { home, variables };
                let inner = types_of(body, inside, &within)?;
                let _ = writeln!(out, "{margin}{} = pmap(", results.join(", "));
                let _ = writeln!(out, "{margin}    lambda {variable}:");
                let _ = writeln!(out, "{margin}    lambda ({}): {{", given.join(", "));
                print_body(out, body, &inner, &within, indent + 8)?;
                let _ = writeln!(out, "{margin}    }},");
                let _ = writeln!(out, "{margin}    ({operands})");
                let _ = writeln!(out, "{margin})");
                continue;
            }
            _ => String::new(),
        };
        let _ = writeln!(out, "{margin}{} = {name}({operands}{attributes})", results.join(", "));
    }
    let _ = writeln!(out, "{margin}return {}", body.returns.join(", "));
    Ok(())
}
