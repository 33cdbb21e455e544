//! What the ranks of a communicator can do, measured with programs that they execute.

use super::engine::Engine;
use super::value::Value;
use crate::error::Result;
use crate::matrix::Owned;
use crate::mpi::{Comm, MpiResult};
use crate::pmap::{
    Curve, Device, DeviceMap, EXTENTS, Elementwise, Function, KINDS, Key, Keys, Kind, Node,
    Topology, place_of_kind,
};
use std::time::Instant;

/// How often programs without an operation and with some are run for each extent. The fastest of each count: what else the machine
/// does takes nothing from them.
const TIMES: [usize; EXTENTS.len()] = [20, 15, 10, 7];
/// Of how many messages, which overlap in part.
const MESSAGES: usize = 2;

/// An operation that is measured.
struct Probe {
    kind: Kind,
    /// What comes before it.
    before: &'static str,
    line: String,
    moves: bool,
}

fn computation(kind: Kind, operands: &str) -> Probe {
    let line = format!("{}({operands})", kind.name());
    Probe { kind, before: "", line, moves: false }
}

fn message(kind: Kind, before: &'static str, line: &str) -> Probe {
    Probe { kind, before, line: line.to_owned(), moves: true }
}

fn probes() -> Vec<Probe> {
    let two = [Kind::MatMul, Kind::Add, Kind::Subtract, Kind::Multiply];
    let functions = Elementwise::ALL.into_iter().map(|(function, _)| Kind::Elementwise(function));
    let one = [Kind::Transpose, Kind::Sum].into_iter().chain(functions);
    let (keys, to) = (Keys::default, || Key::Device(0));
    let copies = "s = broadcast(a, device_keys=[])";
    let (rows, columns) =
        ("s = scatter(a, dim=0, device_keys=[])", "s = scatter(a, dim=1, device_keys=[])");
    let scatter = |dim| Kind::Scatter { dim, keys: keys() };
    let gather = |dim| Kind::Gather { dim, to: to() };
    let messages = [
        message(Kind::Send { to: to() }, "", "send(a, to_device=1)"),
        message(scatter(0), "", "scatter(a, dim=0, device_keys=[])"),
        message(scatter(1), "", "scatter(a, dim=1, device_keys=[])"),
        message(Kind::Broadcast { keys: keys() }, "", "broadcast(a, device_keys=[])"),
        message(gather(0), rows, "gather(s, dim=0, to_device=0)"),
        message(gather(1), columns, "gather(s, dim=1, to_device=0)"),
        message(Kind::Reduce { to: to() }, copies, "reduce(s, to_device=0)"),
        message(Kind::AllReduce, copies, "allreduce(s)"),
    ];
    let solve = [computation(Kind::Solve, "a, b")];
    let two = two.into_iter().map(|kind| computation(kind, "a, a"));
    let one = one.map(|kind| computation(kind, "a"));
    two.chain(one).chain(solve).chain(messages).collect()
}

/// The line `n` times.
fn program(before: &str, line: &str, n: usize) -> Result<Function> {
    let lines: String = (0..n).map(|k| format!("    y{k} = {line}\n")).collect();
    Function::parse(&format!(
        "def probe(a: Tensor[(N, N), 0], b: Tensor[(N, 1), 0]):\n    {before}\n{lines}    return a\n"
    ))
}

/// Seconds that a function takes. What only computes needs no other rank.
fn seconds(engine: &mut Engine, function: &Function, given: &[Value], moves: bool) -> Result<f64> {
    let inputs: Vec<&Value> = given.iter().collect();
    let begin = Instant::now();
    if moves {
        engine.execute(function, &inputs)?;
    } else if engine.device() == 0 {
        engine.run_alone(function, &inputs)?;
    }
    Ok(begin.elapsed().as_secs_f64())
}

/// A matrix that a system may have, and a column, on device 0.
fn inputs(engine: &Engine, n: u64) -> Result<[Value; 2]> {
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    let entry = |k: usize| if k.is_multiple_of(n + 1) { 2.0 } else { 0.5 };
    let is_root = engine.device() == 0;
    let place = |cols: usize| {
        let own = is_root.then(|| Owned::passive(n, cols, (0..n * cols).map(entry)));
        engine.place(0, Some([n, cols]), own.transpose()?)
    };
    Ok([place(n)?, place(1)?])
}

/// Seconds of an operation for each extent: by what programs with it take longer than those without.
fn curve(engine: &mut Engine, probe: &Probe, given: &[[Value; 2]]) -> Result<Curve> {
    let more = if probe.moves { MESSAGES } else { 1 };
    let programs =
        [program(probe.before, &probe.line, 0)?, program(probe.before, &probe.line, more)?];
    let mut found = Curve::default();
    for (k, inputs) in given.iter().enumerate() {
        let mut fastest = [f64::INFINITY; 2];
        for _ in 0..TIMES[k] {
            for (fastest, function) in fastest.iter_mut().zip(&programs) {
                *fastest = fastest.min(seconds(engine, function, inputs, probe.moves)?);
            }
        }
        let each = (fastest[1] - fastest[0]) / more as f64;
        // More takes no less time.
        let least = if k == 0 { 1e-9 } else { found[k - 1] };
        found[k] = each.max(least);
    }
    Ok(found)
}

/// As the root measures it.
fn measured(engine: &mut Engine, ranks: usize, cores: f64) -> Result<Topology> {
    let mut found = Topology { cores, ..Topology::default() };
    let given: Vec<[Value; 2]> =
        EXTENTS.iter().map(|&n| inputs(engine, n)).collect::<Result<_>>()?;
    let nothing = program("", "", 0)?;
    let mut fastest = f64::INFINITY;
    for _ in 0..2 * TIMES[0] {
        fastest = fastest.min(seconds(engine, &nothing, &given[0], true)?);
    }
    found.agreement = fastest / 2.0;
    for probe in probes() {
        if let Some(k) = place_of_kind(&probe.kind).filter(|_| !probe.moves || ranks > 1) {
            found.measured[k] = curve(engine, &probe, &given)?;
        }
    }
    summarize(&mut found, ranks);
    Ok(found)
}

/// The numbers of the formulas.
fn summarize(found: &mut Topology, ranks: usize) {
    let of = |kind: &Kind| found.measured[place_of_kind(kind).unwrap_or(0)];
    let last = EXTENTS.len() - 1;
    let n = EXTENTS[last] as f64;
    let bytes = 8.0 * n * n;
    let (product, sum) = (of(&Kind::MatMul), of(&Kind::Add));
    // Noise may leave nothing of a difference.
    let above = |curve: &Curve| (curve[last] - curve[0]).max(0.1 * curve[last]);
    found.launch = sum[0];
    found.flops = 2.0 * n * n * n / above(&product);
    found.bandwidth = 3.0 * bytes / above(&sum);
    let send = of(&Kind::Send { to: Key::Device(0) });
    (found.alpha, found.beta) = match ranks {
        // A rank that is alone sends to itself.
        1 => (found.launch, 1.0 / found.bandwidth),
        _ => (send[0], above(&send) / bytes),
    };
}

/// How many of the ranks work at a time, if there are more of them on a machine than cores; else 0.
fn cores(comm: Comm) -> MpiResult<f64> {
    let (ranks, here) = (f64::from(comm.size()?), f64::from(comm.ranks_here()?));
    let cores = std::fs::read_to_string("/sys/devices/system/cpu/online").ok().map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        |text| listed(&text),
    );
    let cores = cores as f64;
    Ok(if here > cores { (cores * ranks / here).floor() } else { 0.0 })
}

/// How many numbers a list such as `0-3,8` has.
fn listed(text: &str) -> usize {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().unwrap_or(0);
        number(last).saturating_sub(number(first)) + 1
    };
    text.trim().split(',').map(range).sum()
}

/// What the root has found, on all ranks.
fn shared(engine: &mut Engine, found: &Topology) -> Result<Topology> {
    let Topology { flops, bandwidth, launch, alpha, beta, agreement, cores, .. } = *found;
    let mut row = vec![flops, bandwidth, launch, alpha, beta, agreement, cores];
    let head = row.len();
    row.extend(found.measured.iter().flatten());
    let n = row.len();
    let own = if engine.device() == 0 { Some(Owned::passive(1, n, row)?) } else { None };
    let row = engine.place(0, Some([1, n]), own)?;
    let rows = engine.broadcast(&row, &Keys::default())?;
    let mine = rows.pieces().iter().find_map(|piece| piece.matrix.as_ref());
    let mine = mine.expect("all ranks are devices of the map").elements()?;
    let at = |k: usize| mine[k].value;
    let mut measured = [Curve::default(); KINDS];
    for (k, seconds) in measured.iter_mut().flatten().enumerate() {
        *seconds = at(head + k);
    }
    Ok(Topology {
        flops: at(0),
        bandwidth: at(1),
        launch: at(2),
        alpha: at(3),
        beta: at(4),
        memory: 0.0,
        agreement: at(5),
        cores: at(6),
        measured,
    })
}

/// Calls `f` with an engine of its own for some of the ranks.
fn with_engine<T>(
    comm: Comm,
    devices: Vec<Device>,
    f: impl FnOnce(&mut Engine) -> Result<T>,
) -> MpiResult<T> {
    let mut engine = Engine::new(comm, &DeviceMap::new(Node::List(devices))?, None, 0)?;
    let found = f(&mut engine);
    let agreed = engine.agree(0, found.as_ref().map(|_| ()).map_err(Clone::clone));
    engine.end()?;
    Ok(agreed.and(found)?)
}

/// Measures what operations and messages take; the same on all ranks. Collective.
pub fn calibrate(comm: Comm) -> MpiResult<Topology> {
    let (ranks, cores) = (comm.size()?, cores(comm)?);
    let two = (0..ranks.min(2).into()).collect();
    let found = with_engine(comm, two, |engine| {
        measured(engine, usize::try_from(ranks).unwrap_or(1), cores)
    })?;
    with_engine(comm, (0..ranks.into()).collect(), |engine| shared(engine, &found))
}
