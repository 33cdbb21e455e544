//! The operations that the tape knows: SUM, PROD, MIN and MAX of active doubles, MINLOC and MAXLOC of pairs of
//! an active double and an index.

use super::argument;
use crate::datatype::{BufferTriple, Layout, RecvBuffer, SendBuffer};
use crate::datatype::{Precision, is_installed, is_of_complex, not_initialised, precision};
use crate::error::{Code, Error};
use crate::mpi::{Datatype, Failure, Item, MpiResult, Op, times, to_float};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sum,
    Product,
    Min,
    Max,
}

/// Whether a rank's result covers its own operand, as that of Scan does, or not, as that of Exscan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Inclusive,
    Exclusive,
}

/// By their numbers.
pub const NAMES: [&str; 6] = ["SUM", "PROD", "MIN", "MAX", "MINLOC", "MAXLOC"];

/// An operation on items of one or two words: a value, and the index of a pair.
#[derive(Debug, Clone, Copy)]
pub struct Operator {
    pub kind: Kind,
    pairs: bool,
    /// Values are floats, and so are sums and products of them.
    floats: bool,
}

/// The nearest float, as a double.
pub fn as_float(value: f64) -> f64 {
    to_float(value).into()
}

/// What has no derivative.
fn name_of(op: Op) -> Option<&'static str> {
    let known = [
        (Op::and(), "MPI_LAND"),
        (Op::or(), "MPI_LOR"),
        (Op::xor(), "MPI_LXOR"),
        (Op::bit_and(), "MPI_BAND"),
        (Op::bit_or(), "MPI_BOR"),
        (Op::bit_xor(), "MPI_BXOR"),
        (Op::replace(), "MPI_REPLACE"),
        (Op::no_op(), "MPI_NO_OP"),
        (Op::null(), "MPI_OP_NULL"),
    ];
    known.into_iter().find(|&(other, _)| other == op).map(|(_, name)| name)
}

#[cold]
fn refuse<T>(op: Op) -> MpiResult<T> {
    let why = if let Some(name) = name_of(op) {
        format!("op = {name} has no derivative: active data cannot be reduced by it")
    } else {
        "op was not made by AMPI_Op_create or AMPI_Op_create_adjoint: active data need such an operation".into()
    };
    Err(Error::new(Code::Unsupported, why).into())
}

/// Numbers are reduced, not what else a structure holds.
#[inline]
fn unmixed<T: AsRef<SendBuffer>>(name: &str, buffer: T) -> MpiResult<T> {
    let source = buffer.as_ref();
    if source.is_plain() || source.mixed_bytes().is_none() { Ok(buffer) } else { Err(mixed(name)) }
}

#[cold]
fn mixed(name: &str) -> Failure {
    let why = "the datatype has passive parts, or floats beside doubles: MPI's own operations reduce no structures but pairs of AMPI_ADOUBLE_INT or AMPI_AFLOAT_INT (MPI_MINLOC, MPI_MAXLOC), with plain numbers neither; make one by AMPI_Op_create";
    Error::new(Code::Unsupported, format!("{name}: {why}")).into()
}

impl Operator {
    /// What `op` means to active data of `datatype`.
    pub fn of(op: Op, datatype: Datatype) -> MpiResult<Self> {
        let pairs = datatype.is_active_pair();
        let kind = if op == Op::sum() {
            (Kind::Sum, false)
        } else if op == Op::product() {
            (Kind::Product, false)
        } else if op == Op::min() {
            (Kind::Min, false)
        } else if op == Op::max() {
            (Kind::Max, false)
        } else if op == Op::min_location() {
            (Kind::Min, true)
        } else if op == Op::max_location() {
            (Kind::Max, true)
        } else {
            return refuse(op);
        };
        let why = match (kind.1, pairs) {
            (true, false) => {
                "op is MPI_MINLOC or MPI_MAXLOC, which reduces pairs: their datatype is AMPI_ADOUBLE_INT or AMPI_AFLOAT_INT"
            }
            (false, true) if !is_installed() => return Err(not_initialised().into()),
            (false, true) => {
                "op: pairs of AMPI_ADOUBLE_INT or AMPI_AFLOAT_INT are reduced by MPI_MINLOC and MPI_MAXLOC"
            }
            _ if kind.0 != Kind::Sum && is_of_complex(datatype) => {
                "op: complex numbers are reduced by MPI_SUM, by MPI_PROD under AMPI_ADOUBLE_COMPLEX or AMPI_AFLOAT_COMPLEX itself, and by operations of AMPI_Op_create; they have no order, and a type built from them no product"
            }
            _ => {
                let floats = !pairs && precision(datatype) == Some(Precision::Single);
                return Ok(Self { kind: kind.0, pairs, floats });
            }
        };
        Err(Error::new(Code::Unsupported, why).into())
    }

    /// A value as the items are.
    pub fn rounded(self, value: f64) -> f64 {
        if self.floats { as_float(value) } else { value }
    }

    pub const fn words(self) -> usize {
        if self.pairs { 2 } else { 1 }
    }

    /// Tells operations apart, for `NAMES`.
    pub const fn number(self) -> i64 {
        self.kind as i64 + if self.pairs { 2 } else { 0 }
    }

    pub const fn is_sum(self) -> bool {
        matches!(self.kind, Kind::Sum)
    }

    /// MIN, MAX, MINLOC or MAXLOC: one operand passes.
    pub const fn is_extremum(self) -> bool {
        matches!(self.kind, Kind::Min | Kind::Max)
    }

    pub fn source(self, name: &str, argument: &BufferTriple) -> MpiResult<SendBuffer> {
        if self.pairs {
            return argument.source(name, Layout::pairs(), 1);
        }
        let source = argument::source(name, argument)?;
        unmixed(name, if self.floats { source.in_doubles() } else { source })
    }

    pub fn sink(self, name: &str, argument: &BufferTriple) -> MpiResult<RecvBuffer> {
        if self.pairs {
            return argument.sink(name, Layout::pairs(), 1);
        }
        let sink = argument::sink(name, argument)?;
        unmixed(name, if self.floats { sink.in_doubles() } else { sink })
    }

    /// A buffer to read, or None for `MPI_IN_PLACE`.
    pub fn source_or_in_place(
        self,
        name: &str,
        argument: &BufferTriple,
    ) -> MpiResult<Option<SendBuffer>> {
        if argument.is_in_place() { Ok(None) } else { self.source(name, argument).map(Some) }
    }

    /// What MPI reduces, and by which operation.
    pub fn forward(self) -> MpiResult<(Item, Op)> {
        if self.pairs {
            return self.of_the_ranks_below();
        }
        let op = match self.kind {
            Kind::Sum if self.floats => Op::sum_of_floats()?,
            Kind::Product if self.floats => Op::product_of_floats()?,
            Kind::Sum => Op::sum(),
            Kind::Product => Op::product(),
            Kind::Min => Op::min(),
            Kind::Max => Op::max(),
        };
        Ok((Item::double(), op))
    }

    /// Finds the best item of several ranks, for one that asks whether a lower rank has won.
    pub fn of_the_ranks_below(self) -> MpiResult<(Item, Op)> {
        let max = self.kind == Kind::Max;
        let op = match (self.pairs, max) {
            (false, false) => Op::smallest(),
            (false, true) => Op::largest(),
            (true, false) => Op::smallest_pair(),
            (true, true) => Op::largest_pair(),
        };
        Ok((Item::doubles(self.words())?, op?))
    }

    /// Whether the `i`th items of two arrays are the same.
    pub fn same(self, i: usize, x: &[f64], y: &[f64]) -> bool {
        if self.pairs {
            equals(x[2 * i], y[2 * i]) && x[2 * i + 1] == y[2 * i + 1]
        } else {
            equals(x[i], y[i])
        }
    }

    /// Whether the `i`th item of `below`, the best of several ranks, says that none of them brought the result: all
    /// theirs are worse. What MPI makes of a NaN need not be the best item; where the ranks below have one, this
    /// rank's does not count, so that no two win.
    pub fn yields(self, i: usize, below: &[f64], result: &[f64]) -> bool {
        let words = self.words();
        let (y, best) = (below[i * words], result[i * words]);
        if self.pairs && y == best {
            return below[2 * i + 1] > result[2 * i + 1];
        }
        // The operation on the ranks below keeps a NaN, beside which nothing else is seen.
        !y.is_nan() && (best.is_nan() || if self.kind == Kind::Min { y > best } else { y < best })
    }

    /// A bit an item, of up to 64: whether it is the same in both arrays.
    pub fn matches(self, x: &[f64], y: &[f64]) -> u64 {
        if self.pairs {
            return (0..x.len() / 2).fold(0, |bits, i| bits | u64::from(self.same(i, x, y)) << i);
        }
        let pairs = x.iter().zip(y).enumerate();
        pairs.fold(0, |bits, (i, (&x, &y))| bits | u64::from(equals(x, y)) << i)
    }

    /// Whether the `i`th item of this rank is the extremum, if `below` is that of the ranks below: of equal
    /// ones the lowest rank's is, and a NaN is better than all.
    pub fn prevails(self, i: usize, own: &[f64], below: &[f64]) -> bool {
        let words = self.words();
        let (x, y) = (own[i * words], below[i * words]);
        if self.pairs && equals(x, y) {
            return own[2 * i + 1] < below[2 * i + 1];
        }
        match self.kind {
            Kind::Min => x < y || (x.is_nan() && !y.is_nan()),
            _ => x > y || (x.is_nan() && !y.is_nan()),
        }
    }

    /// The partial derivatives of the `i`th element of a reduction by what each rank brings to it, `n` elements one
    /// rank behind the other. Not for SUM, whose are 1.
    pub fn partials(self, i: usize, n: usize, all: &[f64], out: &mut [f64]) {
        let words = self.words();
        if self.kind == Kind::Product {
            let mut below = 1.0;
            for (rank, out) in out.iter_mut().enumerate() {
                *out = below;
                below = times(below, all[rank * n + i]);
            }
            let mut above = 1.0;
            for (rank, out) in out.iter_mut().enumerate().rev() {
                *out = times(*out, above);
                above = times(above, all[rank * n + i]);
            }
            return;
        }
        let of = |rank: usize| &all[rank * n * words..][..n * words];
        let best = |best, rank| if self.prevails(i, of(rank), of(best)) { rank } else { best };
        let winner = (1..out.len()).fold(0, best);
        out.fill(0.0);
        out[winner] = 1.0;
    }

    /// Makes of the reduction over the ranks below that up to this rank.
    pub fn include(self, own: &[f64], reduction: &mut [f64], lowest: bool) {
        if lowest {
            return reduction.copy_from_slice(own);
        }
        match self.kind {
            Kind::Sum => {
                reduction.iter_mut().zip(own).for_each(|(y, x)| *y = self.rounded(*y + x));
            }
            Kind::Product => {
                reduction.iter_mut().zip(own).for_each(|(y, x)| *y = self.rounded(*y * x));
            }
            Kind::Min | Kind::Max => {
                let words = self.words();
                for i in 0..own.len() / words {
                    if self.prevails(i, own, reduction) {
                        let item = i * words..(i + 1) * words;
                        reduction[item.clone()].copy_from_slice(&own[item]);
                    }
                }
            }
        }
    }
}

/// NaN equals NaN here: a rank that brought the result's NaN is a candidate.
fn equals(x: f64, result: f64) -> bool {
    x == result || (x.is_nan() && result.is_nan())
}
