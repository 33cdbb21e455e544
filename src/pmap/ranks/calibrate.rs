//! What the ranks of a communicator can do, measured with the calls that programs make.

use super::engine::Engine;
use super::local::compute;
use super::value::Value;
use crate::error::Result;
use crate::matrix::Owned;
use crate::mpi::{Comm, MpiResult};
use crate::pmap::{Device, DeviceMap, Keys, Kind, Node, Topology};
use std::time::Instant;

/// Rows and columns of what is multiplied, added and sent: large enough that fixed costs do not count.
const FACTOR: usize = 160;
const TERM: usize = 400;
const MESSAGE: usize = 200;
/// How often each is done. The median counts.
const TIMES: usize = 15;
/// What is quick is timed in groups.
const GROUP: usize = 20;

fn bytes(n: usize) -> f64 {
    (size_of::<f64>() * n * n) as f64
}

fn filled(n: usize) -> Result<Owned> {
    Owned::passive(n, n, std::iter::repeat_n(0.5, n * n))
}

/// The median of what `f` takes, in seconds.
fn median(group: usize, mut f: impl FnMut() -> Result<()>) -> Result<f64> {
    f()?;
    let mut all = Vec::new();
    for _ in 0..TIMES {
        let begin = Instant::now();
        for _ in 0..group {
            f()?;
        }
        all.push(begin.elapsed().as_secs_f64() / group as f64);
    }
    all.sort_by(f64::total_cmp);
    Ok(all[TIMES / 2].max(f64::MIN_POSITIVE))
}

/// Seconds of an operation on one number, of a product and of a sum on this rank.
fn local() -> Result<[f64; 3]> {
    let time = |kind: &Kind, n: usize, group: usize| {
        let (a, b) = (filled(n)?, filled(n)?);
        median(group, || compute(kind, &[&a, &b]).map(|_| ()))
    };
    Ok([time(&Kind::Add, 1, GROUP)?, time(&Kind::MatMul, FACTOR, 1)?, time(&Kind::Add, TERM, 1)?])
}

/// The slowest of the ranks' times, which they take side by side; on the root.
fn locals(engine: &mut Engine, start: &Value) -> Result<Option<[f64; 3]>> {
    let starts = engine.broadcast(start, &Keys::default())?;
    let (run, iteration) = engine.enter("d", &[&starts])?;
    let outcome = iteration.map(|iteration| {
        let own = Owned::passive(1, 3, local()?)?;
        Ok(vec![engine.place(iteration.device, Some([1, 3]), Some(own))?])
    });
    let times = engine.leave(run, outcome, 1)?;
    let all = engine.gather(&times[0], 0)?;
    let Some(all) = &all.pieces()[0].matrix else { return Ok(None) };
    let (rows, elements) = (all.shape().0, all.elements()?);
    let slowest = |j: usize| {
        let column = &elements[j * rows..(j + 1) * rows];
        column.iter().map(|time| time.value).fold(0.0, f64::max)
    };
    Ok(Some([slowest(0), slowest(1), slowest(2)]))
}

/// Seconds of a message of `n x n` numbers between devices 0 and 1.
fn message(engine: &mut Engine, n: usize, group: usize) -> Result<f64> {
    let own = if engine.device() == 0 { Some(filled(n)?) } else { None };
    let x = engine.place(0, Some([n, n]), own)?;
    let there_and_back = median(group, || {
        let there = engine.send(&x, 1)?;
        engine.send(&there, 0).map(|_| ())
    })?;
    Ok(there_and_back / 2.0)
}

/// A rate of `n` in what is left of `whole` without `fixed` seconds, of which noise may leave nothing.
fn rate(n: f64, whole: f64, fixed: f64) -> f64 {
    n / (whole - fixed).max(0.1 * whole)
}

fn measured(engine: &mut Engine, ranks: usize) -> Result<Topology> {
    let own = if engine.device() == 0 { Some(filled(1)?) } else { None };
    let start = engine.place(0, Some([1, 1]), own)?;
    let times = locals(engine, &start)?;
    let (small, large) = if ranks > 1 {
        (message(engine, 1, GROUP)?, message(engine, MESSAGE, 1)?)
    } else {
        (0.0, 0.0)
    };
    let found = times.map(|[launch, product, sum]| {
        let n = FACTOR as f64;
        let (flops, bandwidth) =
            (rate(2.0 * n * n * n, product, launch), rate(3.0 * bytes(TERM), sum, launch));
        // A rank that is alone sends to itself.
        let line = rate(bytes(MESSAGE), large, small);
        let (alpha, line) = if ranks > 1 { (small, line) } else { (launch, bandwidth) };
        [launch, flops, bandwidth, alpha, 1.0 / line]
    });
    let row = found.map(|found| Owned::passive(1, found.len(), found)).transpose()?;
    let row = engine.place(0, Some([1, 5]), row)?;
    let rows = engine.broadcast(&row, &Keys::default())?;
    let mine = rows.pieces().iter().find_map(|piece| piece.matrix.as_ref());
    let mine = mine.expect("all ranks are devices of the map").elements()?;
    let at = |k: usize| mine[k].value;
    Ok(Topology {
        launch: at(0),
        flops: at(1),
        bandwidth: at(2),
        alpha: at(3),
        beta: at(4),
        memory: 0.0,
    })
}

/// Measures what operations and messages take; the same on all ranks. Collective.
pub fn calibrate(comm: Comm) -> MpiResult<Topology> {
    let ranks = comm.size()?;
    let devices: Vec<Device> = (0..ranks.into()).collect();
    let mut engine = Engine::new(comm, &DeviceMap::new(Node::List(devices))?, None, 0)?;
    let found = measured(&mut engine, usize::try_from(ranks).unwrap_or(1));
    let agreed = engine.agree(0, found.as_ref().map(|_| ()).map_err(Clone::clone));
    engine.end()?;
    Ok(agreed.and(found)?)
}
