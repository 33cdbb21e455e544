//! Reductions: Reduce and Allreduce by SUM, PROD, MIN and MAX.
//!
//! What an operation needs on the way back beside the result's adjoint t:
//! - SUM: nothing.
//! - PROD: the product over the ranks below and that over the ranks above, by two Exscans over what each rank
//!   keeps of its own values; no division, hence exact with zeros.
//! - MIN, MAX: a bit an element that says whether this rank's value equals the result, and in the sweep an
//!   Exscan of those bits: the lowest such rank is the winner, once.

use super::argument::{sink, source_or_in_place};
use super::collective::{Outputs, Stage, failed, narrow};
use super::recording::ids;
use super::traffic::{Traffic, with_traffic};
use super::{Private, statistics};
use crate::error::{Code, Error, Result};
use crate::mpi::{
    Argument, Comm, Mark, Op, Operation, Outcome, Shape, Sink, Source, Staging, times, transfer,
};
use crate::tape::{Event, Ids, Stored, Sweep, Tape};
use std::ffi::c_int;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sum,
    Product,
    Extremum,
}

/// What the tape knows how to reverse.
pub fn kind(op: Op) -> Outcome<Kind> {
    if op == Op::sum() {
        Ok(Kind::Sum)
    } else if op == Op::product() {
        Ok(Kind::Product)
    } else if op == Op::min() || op == Op::max() {
        Ok(Kind::Extremum)
    } else {
        let why = "op: only MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX are differentiated; reduce active data by these";
        Err(Error::new(Code::Unsupported, why).into())
    }
}

/// What is kept of an Allreduce for the way back.
enum Kept {
    Nothing,
    /// This rank's values.
    Values(Stored<f64>),
    /// A bit an element: this rank's value equals the result.
    Candidates(Stored<u64>),
}

/// NaN equals NaN here: a rank that brought the result's NaN is a candidate.
fn equals(x: f64, result: f64) -> bool {
    x == result || (x.is_nan() && result.is_nan())
}

/// Bits of 64 elements.
fn bits(x: &[f64], result: &[f64]) -> u64 {
    let pairs = x.iter().zip(result).enumerate();
    pairs.fold(0, |bits, (i, (&x, &result))| bits | u64::from(equals(x, result)) << i)
}

/// Multiplies the adjoints of this rank by the product of what the others brought.
fn scale_by_others(
    traffic: &mut Traffic,
    private: &Private,
    own: &[f64],
    width: usize,
    t: &mut [f64],
) -> Result<()> {
    let comm = private.comm()?;
    if !private.is_mirrored() {
        // Making it waits for the other members, some of whom may wait for what is queued here.
        traffic.start_queued()?;
    }
    let mirrored = private.mirrored()?;
    let exscan = |comm: Comm| {
        let mut data = Staging::take(own.len());
        data.as_mut_slice().copy_from_slice(own);
        let mut out = Staging::take(own.len());
        out.as_mut_slice().fill(1.0);
        Operation::exscan_product(comm, data, out).map_err(failed)
    };
    let (below, above) = (exscan(comm)?, exscan(mirrored)?);
    let (below, above) = (traffic.wait(below)?, traffic.wait(above)?);
    let factors = below.as_slice().iter().zip(above.as_slice());
    for (t, (&below, &above)) in t.chunks_exact_mut(width).zip(factors) {
        let factor = times(below, above);
        for t in t {
            *t = times(factor, *t);
        }
    }
    Ok(())
}

/// Zeroes the adjoints of elements that this rank has not won.
fn zero_unless_won(
    traffic: &mut Traffic,
    private: &Private,
    own: impl Fn(usize) -> u64,
    width: usize,
    t: &mut [f64],
) -> Result<()> {
    let words = (t.len() / width).div_ceil(64);
    let mut data = Staging::take(words);
    for (word, slot) in data.as_mut_slice().iter_mut().enumerate() {
        *slot = f64::from_bits(own(word));
    }
    let below =
        Operation::exscan_bits(private.comm()?, data, Staging::zeros(words)).map_err(failed)?;
    let below = traffic.wait(below)?;
    for (word, t) in t.chunks_mut(64 * width).enumerate() {
        let won = own(word) & !below.as_slice()[word].to_bits();
        for (i, t) in t.chunks_exact_mut(width).enumerate() {
            if won >> i & 1 == 0 {
                t.fill(0.0);
            }
        }
    }
    Ok(())
}

struct Allreduced {
    private: &'static Private,
    ids: Ids,
    outputs: Outputs,
    kept: Kept,
}

impl Event for Allreduced {
    const NAME: &'static str = "Allreduce";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (private, width) = (self.private, sweep.width());
        let t = self.outputs.take(sweep);
        statistics::sent_back(t.len());
        let sum = Operation::allreduce_sum(private.comm()?, t).map_err(failed)?;
        let t = with_traffic(sweep, |traffic, sweep| {
            let mut t = traffic.wait(sum)?;
            match &self.kept {
                Kept::Nothing => {}
                Kept::Values(own) => {
                    scale_by_others(traffic, private, sweep.stored(own), width, t.as_mut_slice())?;
                }
                Kept::Candidates(own) => {
                    let own = sweep.stored(own);
                    zero_unless_won(traffic, private, |word| own[word], width, t.as_mut_slice())?;
                }
            }
            Ok(t)
        })?;
        sweep.add(&self.ids, t.as_slice());
        Ok(())
    }
}

/// Stores what `Allreduced` needs of this rank's values `x`.
fn keep(tape: &mut Tape, kind: Kind, x: &[f64], result: &[f64]) -> Result<Kept> {
    match kind {
        Kind::Sum => Ok(Kept::Nothing),
        Kind::Product => Ok(Kept::Values(tape.store_from(x)?)),
        Kind::Extremum => {
            let stored = tape.store::<u64>(x.len().div_ceil(64))?;
            let blocks = x.chunks(64).zip(result.chunks(64));
            for (word, (x, result)) in tape.stored_mut(&stored).iter_mut().zip(blocks) {
                *word = bits(x, result);
            }
            Ok(Kept::Candidates(stored))
        }
    }
}

/// What a rank brings to a reduction: another buffer, or in place what the result will overwrite.
fn packed<'a>(
    source: Option<&'a Source>,
    sink: &'a Sink,
    out: &mut Staging,
) -> (&'a Source, Shape) {
    let source = source.unwrap_or_else(|| sink.source());
    let shape = source.pack(out.as_mut_slice());
    (source, shape)
}

/// `send` and `receive` have one count and datatype.
pub fn allreduce(send: &Argument, receive: &Argument, op: Op, comm: Comm) -> Outcome<()> {
    let kind = kind(op)?;
    let source = source_or_in_place("sendbuf", send)?;
    let (source, sink) = (source.as_ref(), &mut sink("recvbuf", receive)?);
    let stage = Stage::set(comm)?;
    let n = sink.len();
    let mut data = Staging::take(n);
    let (operands, shape) = packed(source, sink, &mut data);
    let mut own = Staging::default();
    if stage.is_some() && kind != Kind::Sum {
        own = Staging::take(n);
        own.as_mut_slice().copy_from_slice(data.as_slice());
    }
    transfer::allreduce(comm, data.as_mut_slice(), op)?;
    statistics::sent_forward(n);
    let recorded = stage.map_or(Ok(Mark::PASSIVE), |stage| {
        let private = stage.private;
        stage.on_tape(|tape| {
            let ids = ids(tape, operands, shape)?;
            let kept = keep(tape, kind, own.as_slice(), data.as_slice())?;
            let first = tape.record(n, |first, _| {
                let outputs = Outputs { first, n: narrow(n) };
                Allreduced { private, ids, outputs, kept }
            })?;
            Ok(Mark { first, tag: tape.tag() })
        })
    });
    sink.unpack(data.as_slice(), *recorded.as_ref().unwrap_or(&Mark::PASSIVE));
    recorded.map(|_| ())
}

struct Reduced {
    private: &'static Private,
    root: c_int,
    kind: Kind,
    ids: Ids,
    /// On the root.
    outputs: Option<Outputs>,
    /// This rank's values, unless the operation is SUM.
    own: Stored<f64>,
    /// On the root, for MIN and MAX.
    result: Stored<f64>,
}

impl Event for Reduced {
    const NAME: &'static str = "Reduce";

    /// The root sends its adjoints, and for MIN and MAX the result behind them, to all.
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (private, width, n) = (self.private, sweep.width(), self.ids.len());
        let columns = width + usize::from(self.kind == Kind::Extremum);
        let mut data = Staging::take(n * columns);
        if let Some(outputs) = self.outputs {
            sweep.take(outputs.first, n, &mut data.as_mut_slice()[..n * width]);
            data.as_mut_slice()[n * width..].copy_from_slice(sweep.stored(&self.result));
            statistics::sent_back(data.len());
            if self.kind == Kind::Sum {
                return self.reverse_sum_on_root(sweep, data);
            }
        }
        let all = Operation::bcast(private.comm()?, data, n, columns, self.root).map_err(failed)?;
        let mut data = with_traffic(sweep, |traffic, sweep| {
            let mut data = traffic.wait(all)?;
            let (t, result) = data.as_mut_slice().split_at_mut(n * width);
            let own = sweep.stored(&self.own);
            match self.kind {
                Kind::Sum => {}
                Kind::Product => scale_by_others(traffic, private, own, width, t)?,
                Kind::Extremum => {
                    let candidates = |word: usize| {
                        let block = 64 * word..n.min(64 * word + 64);
                        bits(&own[block.clone()], &result[block])
                    };
                    zero_unless_won(traffic, private, candidates, width, t)?;
                }
            }
            Ok(data)
        })?;
        sweep.add(&self.ids, &data.as_mut_slice()[..n * width]);
        Ok(())
    }
}

impl Reduced {
    /// Nothing comes back to the root: it gives its adjoints away and goes on.
    fn reverse_sum_on_root(&self, sweep: &mut Sweep<'_>, data: Staging) -> Result<()> {
        sweep.add(&self.ids, data.as_slice());
        let (n, width) = (self.ids.len(), sweep.width());
        let all =
            Operation::bcast(self.private.comm()?, data, n, width, self.root).map_err(failed)?;
        with_traffic(sweep, |traffic, _| traffic.contribute(all))
    }
}

/// `send` and `receive` have one count and datatype; `receive` is significant on the root.
pub fn reduce(send: &Argument, receive: &Argument, op: Op, root: c_int, comm: Comm) -> Outcome<()> {
    let kind = kind(op)?;
    let at_root = comm.rank()? == root;
    let source = source_or_in_place("sendbuf", send)?;
    let mut sink = if at_root { Some(sink("recvbuf", receive)?) } else { None };
    let stage = Stage::set(comm)?;
    let Some(operands) = source.as_ref().or_else(|| sink.as_ref().map(Sink::source)) else {
        return Err(Error::new(
            Code::Argument,
            "sendbuf is MPI_IN_PLACE, which only the root may pass",
        )
        .into());
    };
    let n = operands.len();
    let mut own = Staging::take(n);
    let shape = operands.pack(own.as_mut_slice());
    let mut data = Staging::take(if at_root { n } else { 0 });
    transfer::reduce(comm, own.as_slice(), data.as_mut_slice(), op, root)?;
    statistics::sent_forward(n);
    let recorded = stage.map_or(Ok(Mark::PASSIVE), |stage| {
        let private = stage.private;
        stage.on_tape(|tape| {
            let ids = ids(tape, operands, shape)?;
            let own = if kind == Kind::Sum { &[] } else { own.as_slice() };
            let own = tape.store_from(own)?;
            let result = if at_root && kind == Kind::Extremum { data.as_slice() } else { &[] };
            let result = tape.store_from(result)?;
            let outputs = if at_root { n } else { 0 };
            let first = tape.record(outputs, |first, _| {
                let outputs = at_root.then_some(Outputs { first, n: narrow(n) });
                Reduced { private, root, kind, ids, outputs, own, result }
            })?;
            Ok(Mark { first, tag: tape.tag() })
        })
    });
    if let Some(sink) = &mut sink {
        sink.unpack(data.as_slice(), *recorded.as_ref().unwrap_or(&Mark::PASSIVE));
    }
    recorded.map(|_| ())
}
