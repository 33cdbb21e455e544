//! The target's side: an operation is carried out on the memory that the window exposes.

use super::event::record_sum;
use super::ids::IdRuns;
use super::operation::{Combine, Reply, Request};
use crate::ampi::builtin_op::{Kind, as_float};
use crate::ampi::recording::{ids, on_tape};
use crate::ampi::reduce_local::statement;
use crate::datatype::{Exposed, Mark, Nest, RecvBuffer, Shape, set_bytes};
use crate::error::Result;
use crate::mpi::{MpiResult, Staging, times};
use crate::tape::{Ids, Var};
use std::ffi::c_int;

/// Carries out what came. `mark` is that of the first value that it brings; `serial` the tape that records.
pub fn carry_out(
    request: &Request<'_>,
    exposed: &Exposed,
    mark: Mark,
    serial: Option<u64>,
    reply: &mut Reply,
) -> MpiResult<()> {
    let mut sink = exposed.items(request.displacement, &request.items)?;
    if request.fetches {
        reply.add(sink.source());
    }
    match request.combine {
        Combine::Nothing | Combine::Read => Ok(()),
        Combine::Replace => sink.unpack_bytes(request.values, request.bytes, mark),
        Combine::Reduce(Kind::Sum) => sum(&mut sink, request.values, mark, serial, |sum| sum),
        Combine::Floats(Kind::Sum) => sum(&mut sink, request.values, mark, serial, as_float),
        Combine::Reduce(kind) => reduce(kind, &mut sink, request.values, mark, |value| value),
        Combine::Floats(kind) => reduce(kind, &mut sink, request.values, mark, as_float),
        Combine::Locate(kind) => locate(kind, PAIR, &mut sink, request, mark),
        Combine::LocateFloats(kind) => locate(kind, FLOAT_PAIR, &mut sink, request, mark),
        Combine::Tangents(kind, nest) => {
            let mut now = Staging::take(sink.source().words());
            sink.source().pack(now.as_mut_slice());
            combine_tangents(kind, nest, now.as_mut_slice(), request.values)?;
            sink.unpack_bytes(now.as_slice(), request.bytes, mark)
        }
        Combine::ActiveTangents(kind, nest) => {
            let brought: Vec<Var> = arrived(request.values, mark).collect();
            let mut vars = sink.source().vars();
            combine_tangents(kind, nest, &mut vars, &brought)?;
            sink.set_vars(&vars)
        }
    }
}

/// What came as active values.
fn arrived(values: &[f64], mark: Mark) -> impl Iterator<Item = Var> {
    (0..).zip(values).map(move |(i, &value)| {
        let Mark { first: id, tag } = mark.behind(i);
        Var { value, id, tag }
    })
}

/// A number of a tangent.
pub trait Number: Copy {
    fn primal(self) -> f64;
    fn plus(self, other: Self) -> Result<Self>;
    fn times(self, other: Self) -> Result<Self>;
    /// `times` where one of the factors is a derivative.
    fn times_derivative(self, other: Self) -> Result<Self>;
}

impl Number for f64 {
    fn primal(self) -> f64 {
        self
    }

    fn plus(self, other: Self) -> Result<Self> {
        Ok(self + other)
    }

    fn times(self, other: Self) -> Result<Self> {
        Ok(self * other)
    }

    /// A factor of zero wins over an infinite one.
    fn times_derivative(self, other: Self) -> Result<Self> {
        Ok(times(self, other))
    }
}

impl Number for Var {
    fn primal(self) -> f64 {
        self.value
    }

    fn plus(self, other: Self) -> Result<Self> {
        statement(Kind::Sum, self, other)
    }

    fn times(self, other: Self) -> Result<Self> {
        statement(Kind::Product, self, other)
    }

    fn times_derivative(self, other: Self) -> Result<Self> {
        self.times(other)
    }
}

/// What becomes of tangents at the target, the numbers of each one behind the other.
pub fn combine_tangents<N: Number>(
    kind: Kind,
    nest: Nest,
    old: &mut [N],
    brought: &[N],
) -> Result<()> {
    if kind == Kind::Sum {
        for (old, &brought) in old.iter_mut().zip(brought) {
            *old = old.plus(brought)?;
        }
        return Ok(());
    }
    let each = nest.numbers();
    let levels: Vec<usize> = nest.levels().collect();
    let room = if kind == Kind::Product { each.min(brought.len()) } else { 0 };
    let (mut product, mut room) = (brought[..room].to_vec(), brought[..room].to_vec());
    for (old, brought) in old.chunks_exact_mut(each).zip(brought.chunks_exact(each)) {
        match kind {
            Kind::Product => {
                multiply(&levels, old, brought, &mut product, &mut room, N::times)?;
                old.copy_from_slice(&product);
            }
            // The primal value is the first number.
            Kind::Min | Kind::Max if wins(kind, brought[0].primal(), old[0].primal()) => {
                old.copy_from_slice(brought);
            }
            Kind::Sum | Kind::Min | Kind::Max => {}
        }
    }
    Ok(())
}

/// The product of two tangents, whose primal values `of_values` multiplies. `room` is as large as the product.
fn multiply<N: Number>(
    levels: &[usize],
    x: &[N],
    y: &[N],
    product: &mut [N],
    room: &mut [N],
    of_values: fn(N, N) -> Result<N>,
) -> Result<()> {
    let Some((&parts, inner)) = levels.split_first() else {
        product[0] = of_values(x[0], y[0])?;
        return Ok(());
    };
    let each = x.len() / parts;
    multiply(inner, &x[..each], &y[..each], &mut product[..each], room, of_values)?;
    for at in (each..x.len()).step_by(each) {
        let derivative = &mut product[at..][..each];
        multiply(inner, &x[at..][..each], &y[..each], derivative, room, N::times_derivative)?;
        let (other, room) = room.split_at_mut(each);
        multiply(inner, &x[..each], &y[at..][..each], other, room, N::times_derivative)?;
        for (one, &other) in derivative.iter_mut().zip(&*other) {
            *one = one.plus(other)?;
        }
    }
    Ok(())
}

/// Adds the ids of what an origin has read by itself.
pub fn read(request: &Request<'_>, exposed: &Exposed, ids: &mut IdRuns) -> MpiResult<()> {
    let sink = exposed.items(request.displacement, &request.items)?;
    ids.add(sink.source(), Shape::Mixed);
    Ok(())
}

/// One event for all.
fn sum(
    sink: &mut RecvBuffer,
    values: &[f64],
    mark: Mark,
    serial: Option<u64>,
    rounded: impl Fn(f64) -> f64,
) -> MpiResult<()> {
    let n = sink.len();
    let mut sums = Staging::take(n);
    let shape = sink.source().pack(sums.as_mut_slice());
    let pairs = sums.as_mut_slice().iter_mut().zip(values);
    pairs.for_each(|(sum, value)| *sum = rounded(*sum + value));
    let mark = match serial {
        None => Mark::PASSIVE,
        Some(serial) => on_tape(serial, |tape| {
            let target = ids(tape, sink.source(), shape)?;
            let first = record_sum(tape, target, Ids::in_a_row(mark.first, n))?;
            Ok(Mark { first, tag: tape.tag() })
        })?,
    };
    sink.unpack(sums.as_slice(), mark)
}

/// Whether `x` displaces `y`: a NaN is better than all.
fn wins(kind: Kind, x: f64, y: f64) -> bool {
    (if kind == Kind::Min { x < y } else { x > y }) || (x.is_nan() && !y.is_nan())
}

/// Bytes of a value and an index on the wire.
pub const PAIR: usize = size_of::<f64>() + size_of::<c_int>();
/// Bytes of a float and an index.
pub const FLOAT_PAIR: usize = size_of::<f32>() + size_of::<c_int>();

fn pair(bytes: &[u8]) -> (f64, c_int) {
    let (value, index) = bytes.split_at(bytes.len() - size_of::<c_int>());
    let value = match bytes.len() {
        FLOAT_PAIR => f32::from_ne_bytes(value.try_into().expect("a float")).into(),
        _ => f64::from_ne_bytes(value.try_into().expect("a double")),
    };
    (value, c_int::from_ne_bytes(index.try_into().expect("an index")))
}

/// The better of two pairs, of so many bytes each, stays.
fn locate(
    kind: Kind,
    bytes: usize,
    sink: &mut RecvBuffer,
    request: &Request<'_>,
    mark: Mark,
) -> MpiResult<()> {
    let mut vars = sink.source().vars();
    let mut best = Staging::take(sink.source().words());
    sink.source().pack(best.as_mut_slice());
    let which = displaced(kind, bytes, best.as_mut_slice(), request.values);
    sink.unpack_bytes(best.as_slice(), request.bytes, mark)?;
    let now = sink.source().vars();
    which.into_iter().for_each(|i| vars[i] = now[i]);
    sink.set_vars(&vars)
}

/// Replaces those pairs, of so many bytes each, that those of `brought` displace, and tells which. Of equal values that with the
/// lower index stays, and of equal indices the old pair.
pub fn displaced(kind: Kind, bytes: usize, pairs: &mut [f64], brought: &[f64]) -> Vec<usize> {
    let (mut best, brought) = (bytes_of(pairs), bytes_of(brought));
    let both = best.chunks_exact_mut(bytes).zip(brought.chunks_exact(bytes));
    let mut which = Vec::new();
    for (i, (best, brought)) in both.enumerate() {
        let ((x, j), (y, k)) = (pair(brought), pair(best));
        if wins(kind, x, y) || (j < k && (x == y || (x.is_nan() && y.is_nan()))) {
            best.copy_from_slice(brought);
            which.push(i);
        }
    }
    set_bytes(pairs, &best);
    which
}

fn bytes_of(words: &[f64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// A statement for each product.
fn reduce(
    kind: Kind,
    sink: &mut RecvBuffer,
    values: &[f64],
    mark: Mark,
    rounded: impl Fn(f64) -> f64,
) -> MpiResult<()> {
    let mut vars = sink.source().vars();
    for (var, operand) in vars.iter_mut().zip(arrived(values, mark)) {
        *var = combined(kind, *var, operand)?;
        var.value = rounded(var.value);
    }
    sink.set_vars(&vars)
}

/// What becomes of a value at the target. Of equal extrema it stays, and stands on the left; a NaN is better than all.
pub fn combined(kind: Kind, old: Var, operand: Var) -> Result<Var> {
    match kind {
        Kind::Sum | Kind::Product => statement(kind, old, operand),
        Kind::Min | Kind::Max if wins(kind, operand.value, old.value) => Ok(operand),
        Kind::Min | Kind::Max => Ok(old),
    }
}
