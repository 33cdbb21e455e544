//! Programs on devices as data: functions of a few operations that can be printed, transformed and simulated.

use super::key::{Device, Key, Keys};
use std::fmt;

/// A function of one matrix that works element by element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Elementwise {
    Relu,
    Exp,
    Log,
    Tanh,
    Sin,
    Cos,
    Sqrt,
    Square,
    Negate,
}

impl Elementwise {
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Relu, "ReLU"),
        (Self::Exp, "Exp"),
        (Self::Log, "Log"),
        (Self::Tanh, "Tanh"),
        (Self::Sin, "Sin"),
        (Self::Cos, "Cos"),
        (Self::Sqrt, "Sqrt"),
        (Self::Square, "Square"),
        (Self::Negate, "Negate"),
    ];

    /// The value at x, and the derivative. That of ReLU is 0 at 0.
    pub fn at(self, x: f64) -> (f64, f64) {
        match self {
            Self::Relu if x <= 0.0 => (0.0, 0.0),
            Self::Relu => (x, 1.0),
            Self::Exp => (x.exp(), x.exp()),
            Self::Log => (x.ln(), 1.0 / x),
            Self::Tanh => (x.tanh(), 1.0 - x.tanh() * x.tanh()),
            Self::Sin => (x.sin(), x.cos()),
            Self::Cos => (x.cos(), -x.sin()),
            Self::Sqrt => (x.sqrt(), 0.5 / x.sqrt()),
            Self::Square => (x * x, 2.0 * x),
            Self::Negate => (-x, -1.0),
        }
    }

    /// Whether the function of a sum is the sum of the functions.
    pub fn is_linear(self) -> bool {
        self == Self::Negate
    }
}

/// What an operation does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    MatMul,
    Add,
    Subtract,
    Multiply,
    Transpose,
    /// The sum of all elements.
    Sum,
    /// x with a x = b.
    Solve,
    Elementwise(Elementwise),
    Send {
        to: Key,
    },
    Scatter {
        dim: usize,
        keys: Keys,
    },
    Broadcast {
        keys: Keys,
    },
    Gather {
        dim: usize,
        to: Key,
    },
    Reduce {
        to: Key,
    },
    AllReduce,
    Select {
        device: Key,
    },
    PMap {
        variable: String,
        body: Box<Body>,
    },
}

impl Kind {
    /// The names of those that only compute.
    const PLAIN: [(Self, &'static str); 8] = [
        (Self::MatMul, "MatMul"),
        (Self::Add, "Add"),
        (Self::Subtract, "Subtract"),
        (Self::Multiply, "Multiply"),
        (Self::Transpose, "Transpose"),
        (Self::Sum, "Sum"),
        (Self::Solve, "Solve"),
        (Self::AllReduce, "allreduce"),
    ];

    /// As it stands in texts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Send { .. } => "send",
            Self::Scatter { .. } => "scatter",
            Self::Broadcast { .. } => "broadcast",
            Self::Gather { .. } => "gather",
            Self::Reduce { .. } => "reduce",
            Self::Select { .. } => "select",
            Self::PMap { .. } => "pmap",
            Self::Elementwise(function) => {
                let found = Elementwise::ALL.iter().find(|(known, _)| known == function);
                found.map_or("", |(_, name)| name)
            }
            plain => {
                let found = Self::PLAIN.iter().find(|(known, _)| known == plain);
                found.map_or("", |(_, name)| name)
            }
        }
    }

    /// That of a name which says all.
    pub fn plain(name: &str) -> Option<Self> {
        let plain = Self::PLAIN.iter().find(|(_, known)| *known == name);
        let function = Elementwise::ALL.iter().find(|(_, known)| *known == name);
        plain
            .map(|(kind, _)| kind.clone())
            .or_else(|| function.map(|(function, _)| Self::Elementwise(*function)))
    }

    /// How many operands it has; None of a pmap.
    pub const fn arity(&self) -> Option<usize> {
        match self {
            Self::MatMul | Self::Add | Self::Subtract | Self::Multiply | Self::Solve => Some(2),
            Self::PMap { .. } => None,
            _ => Some(1),
        }
    }
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operation {
    pub results: Vec<String>,
    pub kind: Kind,
    pub operands: Vec<String>,
}

/// Statements over named values, which see nothing but their parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Body {
    pub parameters: Vec<String>,
    pub operations: Vec<Operation>,
    pub returns: Vec<String>,
}

impl Body {
    /// The values that nothing reads after operation `k`. Parameters and what the body returns are the caller's.
    pub fn dead_after(&self, k: usize) -> Vec<&str> {
        let named = |names: &[String], name: &String| names.contains(name);
        let (done, later) = self.operations.split_at(k + 1);
        let last = &done[k];
        let kept = |name: &String| {
            named(&self.parameters, name)
                || named(&self.returns, name)
                || later.iter().any(|operation| named(&operation.operands, name))
        };
        let mut dead: Vec<&str> = Vec::new();
        for name in last.operands.iter().chain(&last.results) {
            if !kept(name) && !dead.contains(&name.as_str()) {
                dead.push(name);
            }
        }
        dead
    }
}

/// An extent of a matrix: a name or a number, cut for each node on whose devices it lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Extent {
    pub base: String,
    pub cuts: Vec<Keys>,
}

impl Extent {
    pub fn of(base: &str) -> Self {
        Self { base: base.to_owned(), cuts: Vec::new() }
    }
}

/// `B/#[d]` is an extent B, cut by the number of devices at keys `[d]`.
impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)?;
        self.cuts.iter().try_for_each(|keys| write!(f, "/#{keys}"))
    }
}

/// Rows and columns before a simulation.
pub type Extents = [Extent; 2];

/// A function of matrices on a root device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function {
    pub name: String,
    pub root: Device,
    /// Of the parameters of the body.
    pub extents: Vec<Extents>,
    pub body: Body,
}
