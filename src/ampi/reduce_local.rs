//! Reduce_local: a reduction of two arrays of one rank, recorded as any local computation is.

use super::builtin_op::{Kind, Operator};
use super::dispatched::{Dispatched, Operands};
use super::tangents::check_tangents;
use super::user_op;
use crate::datatype::{BufferTriple, is_passive};
use crate::error::Result;
use crate::mpi::{MpiResult, Op, Staging};
use crate::tape::{self, Var};

/// The send buffer holds the left operands, the receive buffer the right ones and the results.
pub fn reduce_local(operands: &Operands) -> MpiResult<Dispatched> {
    let Operands { send: left, receive: right, op } = operands;
    check_tangents(*op, left.datatype())?;
    if is_passive(left.datatype()) {
        return Ok(Dispatched::Passive);
    }
    reduce(left, right, *op).map(|()| Dispatched::Complete)
}

/// right = left op right. Of equal extrema that on the left is taken.
fn reduce(left: &BufferTriple, right: &BufferTriple, op: Op) -> MpiResult<()> {
    if let Some(operation) = user_op::find_for(op, left.datatype()) {
        return operation.combine(left, right);
    }
    let operator = Operator::of(op, left.datatype())?;
    let source = operator.source("inbuf", left)?;
    let mut sink = operator.sink("inoutbuf", right)?;
    let (x, mut y) = (source.vars(), sink.source().vars());
    if !operator.is_extremum() {
        for (x, y) in x.iter().zip(&mut y) {
            *y = statement(operator.kind, *x, *y)?;
            y.value = operator.rounded(y.value);
        }
        return sink.set_vars(&y);
    }
    let words = operator.words();
    let mut items = [Staging::take(x.len() * words), Staging::take(y.len() * words)];
    source.pack(items[0].as_mut_slice());
    sink.source().pack(items[1].as_mut_slice());
    for (i, x) in x.iter().enumerate() {
        if !operator.prevails(i, items[1].as_slice(), items[0].as_slice()) {
            y[i] = *x;
            if words == 2 {
                sink.set_index(i, &source);
            }
        }
    }
    sink.set_vars(&y)
}

/// The sum or the product of two values, recorded if the tape records.
pub fn statement(kind: Kind, x: Var, y: Var) -> Result<Var> {
    let (value, partials) = match kind {
        Kind::Sum => (x.value + y.value, [1.0, 1.0]),
        _ => (x.value * y.value, [y.value, x.value]),
    };
    let id_and_tag = tape::current(|tape| -> Result<_> {
        let id = tape.precomputed(&[x, y], &partials)?;
        Ok((id, if id == 0 { 0 } else { tape.tag() }))
    });
    let (id, tag) = id_and_tag.unwrap_or_else(|| {
        for operand in [x, y] {
            tape::check_without_tape("operand", &operand)?;
        }
        Ok((0, 0))
    })?;
    Ok(Var { value, id, tag })
}
