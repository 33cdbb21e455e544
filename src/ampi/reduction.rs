//! Reductions: Reduce and Allreduce by SUM, PROD, MIN and MAX.
//!
//! What an operation needs on the way back beside the result's adjoint t:
//! - SUM: nothing.
//! - PROD: the product over the ranks below and that over the ranks above, by two Exscans over what each rank
//!   keeps of its own values; no division, hence exact with zeros.
//! - MIN, MAX: whether this rank's value equals the result and no lower rank's does: the lowest such rank is the
//!   winner, once. Where all ranks have the result, a bit an element says the first, and an Exscan of the bits
//!   the second. Elsewhere the result travels beside t, and an Exscan tells the best value of the lower ranks.

use super::argument::{sink, source_or_in_place};
use super::collective::{
    Forward, Outputs, Rule, Stage, Target, arrived, begin, collect, contribute, failed,
};
use super::recording::ids;
use super::traffic::Home;
use super::{Private, statistics};
use crate::error::{Code, Error, Result};
use crate::mpi::{Argument, Comm, Datatype, How, Op, Operation, Outcome, Source, Staging, times};
use crate::tape::{Ids, Stored, Sweep, Tape};
use std::ffi::c_int;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sum,
    Product,
    Min,
    Max,
}

/// What the tape knows how to reverse.
pub fn kind(op: Op) -> Outcome<Kind> {
    if op == Op::sum() {
        Ok(Kind::Sum)
    } else if op == Op::product() {
        Ok(Kind::Product)
    } else if op == Op::min() {
        Ok(Kind::Min)
    } else if op == Op::max() {
        Ok(Kind::Max)
    } else {
        let why = "op: only MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX are differentiated; reduce active data by these";
        Err(Error::new(Code::Unsupported, why).into())
    }
}

/// NaN equals NaN here: a rank that brought the result's NaN is a candidate.
pub fn equals(x: f64, result: f64) -> bool {
    x == result || (x.is_nan() && result.is_nan())
}

/// Bits of 64 elements.
fn bits(x: &[f64], result: &[f64]) -> u64 {
    let pairs = x.iter().zip(result).enumerate();
    pairs.fold(0, |bits, (i, (&x, &result))| bits | u64::from(equals(x, result)) << i)
}

fn copy(values: &[f64]) -> Staging {
    let mut data = Staging::take(values.len());
    data.as_mut_slice().copy_from_slice(values);
    data
}

/// Sends `own` round by an Exscan in both directions: the products of the other ranks' values.
fn others_product(private: &Private, own: &[f64]) -> Result<[Option<Operation>; 2]> {
    let exscan = |private: &Private| {
        let mut out = Staging::take(own.len());
        out.as_mut_slice().fill(1.0);
        Operation::exscan_product(private.comm()?, copy(own), out).map(Some).map_err(failed)
    };
    Ok([exscan(private)?, exscan(private.mirror())?])
}

/// Multiplies adjoints by the products of what the others brought.
fn scale(t: &mut [f64], width: usize, below: &[f64], above: &[f64]) {
    for (t, (&below, &above)) in t.chunks_exact_mut(width).zip(below.iter().zip(above)) {
        let factor = times(below, above);
        for t in t {
            *t = times(factor, *t);
        }
    }
}

/// Zeroes the adjoints of elements that are not `won`.
fn keep_won(t: &mut [f64], width: usize, won: impl Fn(usize) -> bool) {
    for (i, t) in t.chunks_exact_mut(width).enumerate() {
        if !won(i) {
            t.fill(0.0);
        }
    }
}

/// What is kept of an Allreduce for the way back.
#[derive(Debug, Clone, Copy)]
enum Kept {
    Nothing,
    /// This rank's values.
    Values(Stored<f64>),
    /// A bit an element: this rank's value equals the result.
    Candidates(Stored<u64>),
}

#[derive(Clone, Copy)]
struct Allreduced {
    private: &'static Private,
    kind: Kind,
    ids: Ids,
    kept: Kept,
}

impl Rule for Allreduced {
    const NAME: &'static str = "Allreduce";

    fn private(&self) -> &'static Private {
        self.private
    }

    fn signature(&self) -> [i64; 3] {
        let n = i64::try_from(self.ids.len()).unwrap_or(-1);
        [-1, self.kind as i64, n]
    }

    fn settle(&self, tape: &mut Tape, sent: &[f64], received: &[f64]) {
        if let Kept::Candidates(stored) = &self.kept {
            let blocks = sent.chunks(64).zip(received.chunks(64));
            for (word, (x, result)) in tape.stored_mut(stored).iter_mut().zip(blocks) {
                *word = bits(x, result);
            }
        }
    }

    fn take(&self, outputs: Outputs, sweep: &mut Sweep<'_>) -> Staging {
        outputs.take(sweep)
    }

    fn depart(&self, taken: Staging, sweep: &mut Sweep<'_>) -> Result<Home> {
        let comm = self.private.comm()?;
        let sum = Operation::allreduce(comm, taken, Op::sum(), How::Begin).map_err(failed)?;
        let mut home = Home::of(sum);
        match &self.kept {
            Kept::Nothing => {}
            Kept::Values(own) => {
                [home.below, home.above] = others_product(self.private, sweep.stored(own))?;
            }
            Kept::Candidates(own) => {
                let own = sweep.stored(own);
                let mut data = Staging::take(own.len());
                for (slot, &word) in data.as_mut_slice().iter_mut().zip(own) {
                    *slot = f64::from_bits(word);
                }
                let none = Staging::zeros(own.len());
                home.below = Some(Operation::exscan_bits(comm, data, none).map_err(failed)?);
            }
        }
        Ok(home)
    }

    fn add(&self, home: Home, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let mut t = arrived(home.main, sweep)?;
        let (below, above) = (arrived(home.below, sweep)?, arrived(home.above, sweep)?);
        match &self.kept {
            Kept::Nothing => {}
            Kept::Values(_) => scale(t.as_mut_slice(), width, below.as_slice(), above.as_slice()),
            Kept::Candidates(own) => {
                let (own, below) = (sweep.stored(own), below.as_slice());
                let won = |i: usize| (own[i / 64] & !below[i / 64].to_bits()) >> (i % 64) & 1 != 0;
                keep_won(t.as_mut_slice(), width, won);
            }
        }
        sweep.add(&self.ids, t.as_slice());
        Ok(())
    }
}

/// `send` and `receive` have one count and datatype.
pub fn allreduce(
    send: &Argument,
    receive: &Argument,
    op: Op,
    comm: Comm,
    how: How,
) -> Outcome<Forward<impl Rule>> {
    let kind = kind(op)?;
    let source = source_or_in_place("sendbuf", send)?;
    let sink = sink("recvbuf", receive)?;
    let source = source.unwrap_or_else(|| sink.source().clone());
    let stage = Stage::set(comm, how)?;
    let n = sink.len();
    let (data, shape) = packed(&source, n);
    let extremum = matches!(kind, Kind::Min | Kind::Max);
    let values = if kind == Kind::Product && stage.is_some() {
        copy(data.as_slice())
    } else {
        Staging::default()
    };
    // The values are compared with the result where a tape will ask who won.
    let apart = extremum && stage.is_some();
    begin(
        how,
        stage,
        n,
        Target::All(sink),
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let kept = match kind {
                Kind::Sum => Kept::Nothing,
                Kind::Product => Kept::Values(tape.store_from(values.as_slice())?),
                Kind::Min | Kind::Max => Kept::Candidates(tape.store::<u64>(n.div_ceil(64))?),
            };
            Ok(Allreduced { private, kind, ids, kept })
        },
        || {
            if apart {
                Operation::allreduce_apart(comm, data, Staging::take(n), op, how)
            } else {
                Operation::allreduce(comm, data, op, how)
            }
        },
    )
}

/// What a rank brings to a reduction, packed.
fn packed(source: &Source, n: usize) -> (Staging, crate::mpi::Shape) {
    let mut data = Staging::take(n);
    let shape = source.pack(data.as_mut_slice());
    statistics::sent_forward(n);
    (data, shape)
}

/// A reduction whose result is not on every rank: the adjoints travel to all, the result beside them where it
/// decides who won.
#[derive(Debug, Clone, Copy)]
struct Reduced {
    private: &'static Private,
    root: c_int,
    kind: Kind,
    ids: Ids,
    /// This rank's values, unless the operation is SUM.
    own: Stored<f64>,
    /// On the root, for MIN and MAX.
    result: Stored<f64>,
}

impl Reduced {
    const fn at_root(&self) -> bool {
        self.private.rank == self.root
    }

    const fn is_extremum(&self) -> bool {
        matches!(self.kind, Kind::Min | Kind::Max)
    }
}

impl Rule for Reduced {
    const NAME: &'static str = "Reduce";

    fn private(&self) -> &'static Private {
        self.private
    }

    fn signature(&self) -> [i64; 3] {
        let n = i64::try_from(self.ids.len()).unwrap_or(-1);
        [self.root.into(), self.kind as i64, n]
    }

    fn settle(&self, tape: &mut Tape, _: &[f64], received: &[f64]) {
        tape.stored_mut(&self.result).copy_from_slice(&received[..self.result.len()]);
    }

    /// Nothing comes back to the root of a sum: it gives its adjoints away and goes on.
    fn take(&self, outputs: Outputs, sweep: &mut Sweep<'_>) -> Staging {
        let (n, width) = (self.ids.len(), sweep.width());
        let mut data = Staging::take(n * (width + usize::from(self.is_extremum())));
        if self.at_root() {
            outputs.take_into(sweep, data.as_mut_slice());
            data.as_mut_slice()[n * width..].copy_from_slice(sweep.stored(&self.result));
            if self.kind == Kind::Sum {
                sweep.add(&self.ids, data.as_slice());
            }
        }
        data
    }

    fn depart(&self, taken: Staging, sweep: &mut Sweep<'_>) -> Result<Home> {
        let (comm, n) = (self.private.comm()?, self.ids.len());
        let columns = sweep.width() + usize::from(self.is_extremum());
        let all = Operation::bcast(comm, taken, n, columns, self.root, How::Begin);
        let mut home = Home::of(all.map_err(failed)?);
        let own = sweep.stored(&self.own);
        match self.kind {
            Kind::Sum => {}
            Kind::Product => [home.below, home.above] = others_product(self.private, own)?,
            Kind::Min | Kind::Max => {
                let op = if self.kind == Kind::Max { Op::largest() } else { Op::smallest() };
                let (op, item) = (op.map_err(failed)?, (Datatype::double(), 1));
                let below =
                    Operation::exscan(comm, copy(own), Staging::take(n), item, op, How::Begin);
                home.below = Some(below.map_err(failed)?);
            }
        }
        Ok(home)
    }

    fn add(&self, home: Home, sweep: &mut Sweep<'_>) -> Result<()> {
        match self.kind {
            Kind::Sum if self.at_root() => return contribute(home, sweep),
            Kind::Sum => return collect(home, &self.ids, sweep),
            Kind::Product | Kind::Min | Kind::Max => {}
        }
        let (n, width) = (self.ids.len(), sweep.width());
        let mut data = arrived(home.main, sweep)?;
        let (below, above) = (arrived(home.below, sweep)?, arrived(home.above, sweep)?);
        let (t, result) = data.as_mut_slice().split_at_mut(n * width);
        if self.is_extremum() {
            let (own, below) = (sweep.stored(&self.own), below.as_slice());
            let lowest = self.private.rank == 0;
            let won =
                |i: usize| equals(own[i], result[i]) && (lowest || !equals(below[i], result[i]));
            keep_won(t, width, won);
        } else {
            scale(t, width, below.as_slice(), above.as_slice());
        }
        sweep.add(&self.ids, t);
        Ok(())
    }
}

/// `send` and `receive` have one count and datatype; `receive` is significant on the root.
pub fn reduce(
    send: &Argument,
    receive: &Argument,
    op: Op,
    root: c_int,
    comm: Comm,
    how: How,
) -> Outcome<Forward<impl Rule>> {
    let kind = kind(op)?;
    let at_root = comm.rank()? == root;
    let source = source_or_in_place("sendbuf", send)?;
    let sink = if at_root { Some(sink("recvbuf", receive)?) } else { None };
    let Some(source) = source.or_else(|| sink.as_ref().map(|sink| sink.source().clone())) else {
        let why = "sendbuf is MPI_IN_PLACE, which only the root may pass";
        return Err(Error::new(Code::Argument, why).into());
    };
    let stage = Stage::set(comm, how)?;
    let n = source.len();
    let (data, shape) = packed(&source, n);
    let values = if kind != Kind::Sum && stage.is_some() {
        copy(data.as_slice())
    } else {
        Staging::default()
    };
    let outputs = if at_root { n } else { 0 };
    begin(
        how,
        stage,
        outputs,
        sink.map_or(Target::Nothing, Target::All),
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let own = tape.store_from(values.as_slice())?;
            let extremum = matches!(kind, Kind::Min | Kind::Max);
            let result = tape.store::<f64>(if extremum { outputs } else { 0 })?;
            Ok(Reduced { private, root, kind, ids, own, result })
        },
        || Operation::reduce(comm, data, Staging::take(outputs), op, root, how),
    )
}
