//! Which derivatives are zero by structure: the patterns of Jacobians and Hessians, from one recording, and the colours by
//! which a few sweeps or tangents give all that are not.
#![forbid(unsafe_code)]

mod colouring;
mod hessian;
mod jacobian;
mod pattern;
mod ranks;
mod sets;
#[cfg(test)]
mod tests;

pub use colouring::{Colouring, columns, rows, symmetric};
pub use hessian::{hessian, hessian_on_ranks, inputs};
pub use jacobian::jacobian;
pub use pattern::Pattern;
pub use ranks::{Alone, Exchange, Links, jacobian_on_ranks};

use crate::error::{Code, Error, Result};
use crate::tape::{Dependences, Var};

/// The numbers of inputs among the ids of a recording.
pub fn numbers(name: &str, values: &[Var], of: &Dependences) -> Result<Vec<usize>> {
    let number = |(k, x): (usize, &Var)| {
        of.node(x.id).ok_or_else(|| {
            let why = match x.id {
                0 => "is passive: declare the inputs first".to_owned(),
                id => format!("(id {id}) is older than the innermost nest, where it is a constant"),
            };
            Error::new(Code::Argument, format!("{name}[{k}] {why}"))
        })
    };
    values.iter().enumerate().map(number).collect()
}
