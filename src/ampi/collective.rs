//! Collectives that move values: Bcast, Gather, Scatter, Allgather.
//!
//! On the way back, ranks that only contribute hand their part to a nonblocking collective and go on; those
//! that need the result wait for it while their own adjoints move.

use super::argument::{sink, sink_of_all, sink_or_in_place, source_of_all, source_or_in_place};
use super::recording::{ids, on_tape, state};
use super::traffic::with_traffic;
use super::{Private, communicator, statistics};
use crate::error::{Code, Error, Result};
use crate::mpi::{
    Argument, Comm, Failure, Mark, Operation, Outcome, Sink, Source, Staging, transfer,
};
use crate::tape::{Event, Ids, Sweep, Tape};
use std::ffi::c_int;

/// What a collective is recorded on: the tape, and where its adjoint travels. None if nothing is recorded.
pub struct Stage {
    pub serial: u64,
    pub private: &'static Private,
}

impl Stage {
    pub fn set(comm: Comm) -> Outcome<Option<Self>> {
        let Some(serial) = state() else {
            communicator::refuse_inter(comm)?;
            return Ok(None);
        };
        Ok(Some(Self { serial, private: communicator::of_collective(comm)? }))
    }

    pub fn on_tape<R>(&self, f: impl FnOnce(&mut Tape) -> Result<R>) -> Outcome<R> {
        on_tape(self.serial, f)
    }
}

/// Turns a failure of a collective of adjoints into an error of the sweep.
pub fn failed(failure: Failure) -> Error {
    failure.into_error("a collective of adjoints")
}

/// Ids of outputs are 32 bits; `record` has refused more.
pub fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// `n` for each of `ranks`, or an error.
pub fn whole(n: usize, ranks: usize) -> Outcome<usize> {
    n.checked_mul(ranks).filter(|&n| u32::try_from(n).is_ok()).ok_or_else(|| {
        Error::new(Code::Argument, format!("{n} doubles from each of {ranks} ranks are past 2^32"))
            .into()
    })
}

/// Ids of consecutive outputs.
#[derive(Clone, Copy)]
pub struct Outputs {
    pub first: u32,
    pub n: u32,
}

impl Outputs {
    /// The adjoints, taken.
    pub fn take(self, sweep: &mut Sweep<'_>) -> Staging {
        let n = crate::count::wide32(self.n);
        let mut data = Staging::take(n * sweep.width());
        sweep.take(self.first, n, data.as_mut_slice());
        data
    }
}

struct Broadcast {
    private: &'static Private,
    root: c_int,
    side: Side,
}

enum Side {
    /// What was sent: the root's values keep their ids.
    Root(Ids),
    Leaf(Outputs),
}

impl Event for Broadcast {
    const NAME: &'static str = "Bcast";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let comm = self.private.comm()?;
        match &self.side {
            Side::Leaf(outputs) => {
                let data = outputs.take(sweep);
                statistics::sent_back(data.len());
                let part = Operation::reduce_sum(comm, data, false, self.root).map_err(failed)?;
                with_traffic(sweep, |traffic, _| traffic.contribute(part))
            }
            Side::Root(ids) => {
                let zeros = Staging::zeros(ids.len() * sweep.width());
                let sum = Operation::reduce_sum(comm, zeros, true, self.root).map_err(failed)?;
                let sum = with_traffic(sweep, |traffic, _| traffic.wait(sum))?;
                sweep.add(ids, sum.as_slice());
                Ok(())
            }
        }
    }
}

pub fn bcast(buffer: &Argument, root: c_int, comm: Comm) -> Outcome<()> {
    let buffer = &mut sink("buffer", buffer)?;
    let stage = Stage::set(comm)?;
    let is_root = comm.rank()? == root;
    let mut data = Staging::take(buffer.len());
    let shape = is_root.then(|| buffer.source().pack(data.as_mut_slice()));
    transfer::bcast(comm, data.as_mut_slice(), root)?;
    if is_root {
        statistics::sent_forward(data.len());
    }
    let Some(stage) = stage else {
        if !is_root {
            buffer.unpack(data.as_slice(), Mark::PASSIVE);
        }
        return Ok(());
    };
    let private = stage.private;
    let mark = stage.on_tape(|tape| {
        if let Some(shape) = shape {
            let side = Side::Root(ids(tape, buffer.source(), shape)?);
            tape.record(0, |_, _| Broadcast { private, root, side })?;
            return Ok(Mark::PASSIVE);
        }
        let n = narrow(buffer.len());
        let first = tape.record(buffer.len(), |first, _| {
            let side = Side::Leaf(Outputs { first, n });
            Broadcast { private, root, side }
        })?;
        Ok(Mark { first, tag: tape.tag() })
    });
    if !is_root {
        buffer.unpack(data.as_slice(), *mark.as_ref().unwrap_or(&Mark::PASSIVE));
    }
    mark.map(|_| ())
}

/// The root's part in a Gather or Scatter: its whole buffer, unless it is off the root.
enum Part<W> {
    /// The buffer over all ranks, and the items of one rank.
    Root {
        whole: W,
        n: usize,
    },
    Leaf,
}

struct Gathered {
    private: &'static Private,
    root: c_int,
    /// What this rank sent; a root in place has sent nothing.
    ids: Option<Ids>,
    /// What the root received.
    outputs: Option<Outputs>,
}

impl Event for Gathered {
    const NAME: &'static str = "Gather";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (comm, width) = (self.private.comm()?, sweep.width());
        let Some(outputs) = self.outputs else {
            let n = self.ids.map_or(0, |ids| ids.len());
            let room = Staging::take(n * width);
            let part = Operation::scatter(comm, Staging::default(), room, n, width, self.root)
                .map_err(failed)?;
            let part = with_traffic(sweep, |traffic, _| traffic.wait(part))?;
            if let Some(ids) = &self.ids {
                sweep.add(ids, part.as_slice());
            }
            return Ok(());
        };
        let whole = outputs.take(sweep);
        let n = crate::count::wide32(outputs.n) / self.private.ranks();
        if let Some(ids) = &self.ids {
            let own = self.private.place() * n * width;
            sweep.add(ids, &whole.as_slice()[own..own + n * width]);
        }
        statistics::sent_back(whole.len());
        let rest = Operation::scatter(comm, whole, Staging::take(n * width), n, width, self.root)
            .map_err(failed)?;
        with_traffic(sweep, |traffic, _| traffic.contribute(rest))
    }
}

pub fn gather(send: &Argument, receive: &Argument, root: c_int, comm: Comm) -> Outcome<()> {
    let source = source_or_in_place("sendbuf", send)?;
    if comm.rank()? == root {
        let (mut whole, n) = sink_of_all("recvbuf", receive, comm)?;
        same_length(source.as_ref().map(Source::len), n)?;
        gather_parts(source.as_ref(), Part::Root { whole: &mut whole, n }, root, comm)
    } else if source.is_some() {
        gather_parts(source.as_ref(), Part::Leaf, root, comm)
    } else {
        Err(in_place_off_root("sendbuf"))
    }
}

fn in_place_off_root(name: &str) -> Failure {
    Error::new(Code::Argument, format!("{name} is MPI_IN_PLACE, which only the root may pass"))
        .into()
}

/// What a rank sends to itself is what it receives from itself.
fn same_length(sent: Option<usize>, n: usize) -> Outcome<()> {
    match sent {
        Some(sent) if sent != n => {
            let why =
                format!("sendcount holds {sent} active doubles and recvcount {n}: they must agree");
            Err(Error::new(Code::Argument, why).into())
        }
        _ => Ok(()),
    }
}

/// `source` is None on a root that gathers in place.
fn gather_parts(
    source: Option<&Source>,
    part: Part<&mut Sink>,
    root: c_int,
    comm: Comm,
) -> Outcome<()> {
    let stage = Stage::set(comm)?;
    let (ranks, rank) = (crate::mpi::wide_int(comm.size()?), crate::mpi::wide_int(comm.rank()?));
    let n = match &part {
        Part::Root { n, .. } => *n,
        Part::Leaf => source.map_or(0, Source::len),
    };
    let mut mine = Staging::take(source.map_or(n, Source::len));
    let shape = source.map(|source| source.pack(mine.as_mut_slice()));
    let mut all = Staging::default();
    if let Part::Root { whole: sink, .. } = &part {
        all = Staging::take(whole(n, ranks)?);
        if source.is_none() {
            sink.source().segment(rank * n, n).values(mine.as_mut_slice());
        }
    }
    transfer::gather(comm, mine.as_slice(), all.as_mut_slice(), n, root)?;
    statistics::sent_forward(mine.len());
    let recorded = stage.map_or(Ok(Mark::PASSIVE), |stage| {
        let private = stage.private;
        stage.on_tape(|tape| {
            let ids =
                source.zip(shape).map(|(source, shape)| ids(tape, source, shape)).transpose()?;
            let is_root = matches!(part, Part::Root { .. });
            let first = tape.record(all.len(), |first, _| {
                let outputs = is_root.then_some(Outputs { first, n: narrow(n * ranks) });
                Gathered { private, root, ids, outputs }
            })?;
            Ok(Mark { first, tag: tape.tag() })
        })
    });
    if let Part::Root { whole: sink, .. } = part {
        let mark = *recorded.as_ref().unwrap_or(&Mark::PASSIVE);
        unpack_but(sink, &all, n, source.is_none().then_some(rank), mark);
    }
    recorded.map(|_| ())
}

/// Unpacks the segments of all ranks but one, whose values stay what they are.
fn unpack_but(sink: &mut Sink, all: &Staging, n: usize, kept: Option<usize>, mark: Mark) {
    let Some(kept) = kept else { return sink.unpack(all.as_slice(), mark) };
    let (below, rest) = all.as_slice().split_at(kept * n);
    sink.unpack(below, mark);
    sink.unpack_segment((kept + 1) * n, &rest[n..], mark);
}

struct Scattered {
    private: &'static Private,
    root: c_int,
    /// The items of one rank.
    n: usize,
    /// What the root sent.
    ids: Option<Ids>,
    /// What this rank received; a root in place has received nothing.
    outputs: Option<Outputs>,
}

impl Event for Scattered {
    const NAME: &'static str = "Scatter";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (comm, width) = (self.private.comm()?, sweep.width());
        let part = match self.outputs {
            Some(outputs) => outputs.take(sweep),
            None => Staging::zeros(self.n * width),
        };
        let Some(ids) = &self.ids else {
            statistics::sent_back(part.len());
            let part = Operation::gather(comm, part, Staging::default(), self.n, width, self.root)
                .map_err(failed)?;
            return with_traffic(sweep, |traffic, _| traffic.contribute(part));
        };
        let room = Staging::take(ids.len() * width);
        let all = Operation::gather(comm, part, room, self.n, width, self.root).map_err(failed)?;
        let all = with_traffic(sweep, |traffic, _| traffic.wait(all))?;
        sweep.add(ids, all.as_slice());
        Ok(())
    }
}

pub fn scatter(send: &Argument, receive: &Argument, root: c_int, comm: Comm) -> Outcome<()> {
    let mut sink = sink_or_in_place("recvbuf", receive)?;
    if comm.rank()? == root {
        let (whole, n) = source_of_all("sendbuf", send, comm)?;
        same_length(sink.as_ref().map(Sink::len), n)?;
        scatter_parts(Part::Root { whole: &whole, n }, sink.as_mut(), root, comm)
    } else if sink.is_some() {
        scatter_parts(Part::Leaf, sink.as_mut(), root, comm)
    } else {
        Err(in_place_off_root("recvbuf"))
    }
}

/// `sink` is None on a root that scatters in place.
fn scatter_parts(
    part: Part<&Source>,
    sink: Option<&mut Sink>,
    root: c_int,
    comm: Comm,
) -> Outcome<()> {
    let stage = Stage::set(comm)?;
    let ranks = crate::mpi::wide_int(comm.size()?);
    let (n, source) = match part {
        Part::Root { whole: source, n } => (n, Some(source)),
        Part::Leaf => (sink.as_ref().map_or(0, |sink| sink.len()), None),
    };
    let mut all = Staging::take(if source.is_some() { whole(n, ranks)? } else { 0 });
    let shape = source.map(|source| source.pack(all.as_mut_slice()));
    let mut mine = Staging::take(sink.as_ref().map_or(n, |sink| sink.len()));
    transfer::scatter(comm, all.as_slice(), n, mine.as_mut_slice(), root)?;
    if source.is_some() {
        statistics::sent_forward(all.len());
    }
    let recorded = stage.map_or(Ok(Mark::PASSIVE), |stage| {
        let private = stage.private;
        stage.on_tape(|tape| {
            let ids =
                source.zip(shape).map(|(source, shape)| ids(tape, source, shape)).transpose()?;
            let receives = sink.is_some();
            let first = tape.record(if receives { n } else { 0 }, |first, _| {
                let outputs = receives.then_some(Outputs { first, n: narrow(n) });
                Scattered { private, root, n, ids, outputs }
            })?;
            Ok(Mark { first, tag: tape.tag() })
        })
    });
    if let Some(sink) = sink {
        sink.unpack(
            &mine.as_slice()[..n.min(mine.len())],
            *recorded.as_ref().unwrap_or(&Mark::PASSIVE),
        );
    }
    recorded.map(|_| ())
}

struct Allgathered {
    private: &'static Private,
    ids: Ids,
    outputs: Outputs,
}

impl Event for Allgathered {
    const NAME: &'static str = "Allgather";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let comm = self.private.comm()?;
        let whole = self.outputs.take(sweep);
        statistics::sent_back(whole.len());
        let room = Staging::take(self.ids.len() * sweep.width());
        let part = Operation::reduce_scatter_sum(comm, whole, room).map_err(failed)?;
        let part = with_traffic(sweep, |traffic, _| traffic.wait(part))?;
        sweep.add(&self.ids, part.as_slice());
        Ok(())
    }
}

pub fn allgather(send: &Argument, receive: &Argument, comm: Comm) -> Outcome<()> {
    let source = source_or_in_place("sendbuf", send)?;
    let source = source.as_ref();
    let (mut sink, n) = sink_of_all("recvbuf", receive, comm)?;
    same_length(source.map(Source::len), n)?;
    let stage = Stage::set(comm)?;
    let (ranks, rank) = (crate::mpi::wide_int(comm.size()?), crate::mpi::wide_int(comm.rank()?));
    let mut mine = Staging::take(source.map_or(n, Source::len));
    let shape = if let Some(source) = source {
        source.pack(mine.as_mut_slice())
    } else {
        let own = sink.source().segment(rank * n, n);
        own.values(mine.as_mut_slice());
        own.shape()
    };
    let mut all = Staging::take(whole(n, ranks)?);
    transfer::allgather(comm, mine.as_slice(), all.as_mut_slice(), n)?;
    statistics::sent_forward(mine.len());
    let recorded = stage.map_or(Ok(Mark::PASSIVE), |stage| {
        let private = stage.private;
        stage.on_tape(|tape| {
            let ids = match source {
                Some(source) => ids(tape, source, shape)?,
                None => ids(tape, &sink.source().segment(rank * n, n), shape)?,
            };
            let outputs = narrow(n * ranks);
            let first = tape.record(n * ranks, |first, _| {
                let outputs = Outputs { first, n: outputs };
                Allgathered { private, ids, outputs }
            })?;
            Ok(Mark { first, tag: tape.tag() })
        })
    });
    let mark = *recorded.as_ref().unwrap_or(&Mark::PASSIVE);
    unpack_but(&mut sink, &all, n, source.is_none().then_some(rank), mark);
    recorded.map(|_| ())
}
