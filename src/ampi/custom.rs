//! Operations that users define.
//!
//! A reduction of active data by one does not go through MPI's own, inside which nothing could be recorded: a tree
//! of messages in the order of ranks brings the operands together, and the operation is applied to active values,
//! so that the tape sees it; or to plain ones, if the user has registered its derivative.

use super::scan::Extent;
use super::{Private, argument, check, communicator, message, movement, recording};
use crate::error::{Code, Error, Result};
use crate::mpi::raw::constants;
use crate::mpi::{
    Argument, Comm, Derivative, Function, How, Mark, Op, Outcome, Pieces, Serial, Shape, Sink,
    Source, Staging, Twin, wide_int,
};
use crate::tape::{self, Event, Ids, Stored, Sweep};
use std::ffi::c_int;

/// What a user has registered.
#[derive(Debug, Clone, Copy)]
pub struct Custom {
    function: Function,
    derivative: Option<Derivative>,
}

/// By the numbers of their handles.
static KNOWN: Serial<Vec<(usize, Custom)>> = Serial::new(Vec::new());

pub fn create(function: Function, derivative: Option<Derivative>, commute: c_int) -> Outcome<Op> {
    let op = function.operation(commute)?;
    // One that was freed behind the library's back has left its number to this one.
    forget(op);
    KNOWN.with(|known| known.push((op.key(), Custom { function, derivative })));
    Ok(op)
}

pub fn forget(op: Op) {
    KNOWN.with(|known| known.retain(|&(key, _)| key != op.key()));
}

pub fn find(op: Op) -> Option<Custom> {
    KNOWN.with(|known| known.iter().find(|&&(key, _)| key == op.key()).map(|&(_, custom)| custom))
}

/// An application of an operation whose derivative is known.
struct Applied {
    derivative: Derivative,
    items: usize,
    operands: [Ids; 2],
    values: [Stored<f64>; 2],
    first: u32,
}

impl Event for Applied {
    const NAME: &'static str = "operation";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (n, width) = (self.operands[0].len(), sweep.width());
        let mut adjoints = Staging::take(n * width);
        sweep.take(self.first, n, adjoints.as_mut_slice());
        sweep.pause()?;
        let mut results = [Staging::zeros(n * width), Staging::zeros(n * width)];
        let mut one = Staging::take(n);
        for direction in 0..width {
            for (i, one) in one.as_mut_slice().iter_mut().enumerate() {
                *one = adjoints.as_slice()[i * width + direction];
            }
            let mut parts = [Staging::zeros(n), Staging::zeros(n)];
            let [left, right] = &mut parts;
            self.derivative
                .apply(
                    self.values.map(|values| sweep.stored(&values)),
                    one.as_slice(),
                    [left.as_mut_slice(), right.as_mut_slice()],
                    self.items,
                )
                .map_err(|failure| failure.into_error("a user's operation"))?;
            for (part, result) in parts.iter().zip(&mut results) {
                for (i, part) in part.as_slice().iter().enumerate() {
                    result.as_mut_slice()[i * width + direction] = *part;
                }
            }
        }
        for (ids, result) in self.operands.iter().zip(&results) {
            sweep.add(ids, result.as_slice());
        }
        Ok(())
    }
}

/// The members of a communicator, who send each other operands where no message of the user's travels.
struct Team {
    private: &'static Private,
}

impl Team {
    /// The members, who are in a call with `count` items, and with a root or -1.
    fn of(comm: Comm, root: c_int, count: usize) -> Outcome<Self> {
        communicator::refuse_inter(comm)?;
        let private = communicator::of_collective(comm)?;
        let count = i64::try_from(count).unwrap_or(-1);
        let detail = recording::state().map(|_| [root.into(), -1, count]);
        check::started(Some(private), detail).completed();
        Ok(Self { private })
    }

    fn rank(&self) -> usize {
        self.private.place()
    }

    fn ranks(&self) -> usize {
        self.private.ranks()
    }

    /// Sends to one member and receives from another; both at once, as far as there are any.
    fn exchange(
        &self,
        out: Option<(&Argument, usize)>,
        back: Option<(&Argument, usize)>,
    ) -> Outcome<()> {
        let place = |rank: usize| c_int::try_from(self.ranks() - 1 - rank).unwrap_or(c_int::MAX);
        let (source, to) = match out {
            Some((data, rank)) => (read(data)?, place(rank)),
            None => (Source::default(), constants().proc_null),
        };
        let (sink, from) = match back {
            Some((room, rank)) => (write(room)?, place(rank)),
            None => (Sink::default(), constants().proc_null),
        };
        message::between_members(self.private.mirror(), &source, to, sink, from)
    }
}

fn read(argument: &Argument) -> Outcome<Source> {
    argument::source("sendbuf", argument)
}

fn write(argument: &Argument) -> Outcome<Sink> {
    argument::sink("recvbuf", argument)
}

/// The same values, in memory of the library's.
fn copy(argument: &Argument) -> Outcome<Twin> {
    let source = read(argument)?;
    let twin = argument.twin(&source);
    write(twin.argument())?.set_vars(&source.vars());
    Ok(twin)
}

/// Memory for as much.
fn room(argument: &Argument) -> Outcome<Twin> {
    Ok(argument.twin(&read(argument)?))
}

/// What this rank brings.
fn operands<'a>(send: &'a Argument, receive: &'a Argument) -> &'a Argument {
    if send.is_in_place() { receive } else { send }
}

impl Custom {
    pub const fn has_derivative(&self) -> bool {
        self.derivative.is_some()
    }

    /// right = left op right.
    pub fn combine(&self, left: &Argument, right: &Argument) -> Outcome<()> {
        let Some(derivative) = self.derivative else {
            return self.function.apply(left, right);
        };
        let (sources, mut sink) = ([read(left)?, read(right)?], write(right)?);
        let (n, items) = (sink.len(), right.items());
        let mut values = [Staging::take(n), Staging::take(n)];
        let mut shapes = [Shape::Passive; 2];
        for ((source, values), shape) in sources.iter().zip(&mut values).zip(&mut shapes) {
            *shape = source.pack(values.as_mut_slice());
        }
        let mut result = Staging::take(n);
        result.as_mut_slice().copy_from_slice(values[1].as_slice());
        self.function.apply_doubles(values[0].as_slice(), result.as_mut_slice(), items)?;
        let recorded = tape::current(|tape| -> Result<Mark> {
            if !tape.recording() || shapes == [Shape::Passive; 2] {
                return Ok(Mark::PASSIVE);
            }
            let operands = [
                recording::ids(tape, &sources[0], shapes[0])?,
                recording::ids(tape, &sources[1], shapes[1])?,
            ];
            let values =
                [tape.store_from(values[0].as_slice())?, tape.store_from(values[1].as_slice())?];
            let first =
                tape.record(n, |first, _| Applied { derivative, items, operands, values, first })?;
            Ok(Mark { first, tag: tape.tag() })
        });
        let mark = recorded.unwrap_or(Ok(Mark::PASSIVE))?;
        sink.unpack(result.as_slice(), mark);
        Ok(())
    }

    /// The whole reduction on rank 0: a tree whose every node joins neighbouring ranks, the lower one on the left.
    fn join(&self, team: &Team, own: &Argument) -> Outcome<Twin> {
        let (rank, ranks) = (team.rank(), team.ranks());
        let mut left = copy(own)?;
        let mut step = 1;
        while step < ranks {
            if rank & step != 0 {
                team.exchange(Some((left.argument(), rank - step)), None)?;
                break;
            }
            if rank + step < ranks {
                let right = room(own)?;
                team.exchange(None, Some((right.argument(), rank + step)))?;
                self.combine(left.argument(), right.argument())?;
                left = right;
            }
            step *= 2;
        }
        Ok(left)
    }

    pub fn reduce(
        &self,
        send: &Argument,
        receive: &Argument,
        root: c_int,
        comm: Comm,
    ) -> Outcome<()> {
        let own = operands(send, receive);
        let team = Team::of(comm, root, own.items())?;
        let (rank, root) = (team.rank(), wide_int(root));
        if send.is_in_place() && rank != root {
            let why = "sendbuf is MPI_IN_PLACE, which only the root may pass";
            return Err(Error::new(Code::Argument, why).into());
        }
        let joined = self.join(&team, own)?;
        let out = (rank == 0).then_some((joined.argument(), root));
        team.exchange(out, (rank == root).then_some((receive, 0)))
    }

    pub fn allreduce(&self, send: &Argument, receive: &Argument, comm: Comm) -> Outcome<()> {
        let own = operands(send, receive);
        let team = Team::of(comm, -1, own.items())?;
        let joined = self.join(&team, own)?;
        if team.rank() == 0 {
            write(receive)?.set_vars(&read(joined.argument())?.vars());
        }
        movement::bcast(receive, 0, comm, How::Now)?.finish()
    }

    pub fn reduce_scatter(&self, pieces: &Pieces, comm: Comm) -> Outcome<()> {
        let own = pieces.operands(wide_int(comm.size()?))?;
        let team = Team::of(comm, -1, own.items())?;
        let (rank, ranks) = (team.rank(), team.ranks());
        let joined = self.join(&team, &own)?;
        let receive = pieces.result(rank, ranks)?;
        if rank > 0 {
            return team.exchange(None, Some((&receive, 0)));
        }
        let all = read(joined.argument())?.vars();
        let mut at = write(&receive)?.len();
        write(&receive)?.set_vars(&all[..at]);
        for other in 1..ranks {
            let part = room(&pieces.share(other, ranks)?)?;
            let mut sink = write(part.argument())?;
            sink.set_vars(&all[at..at + sink.len()]);
            at += sink.len();
            team.exchange(Some((part.argument(), other)), None)?;
        }
        Ok(())
    }

    /// In each step a rank's reduction reaches twice as far down.
    pub fn scan(
        &self,
        send: &Argument,
        receive: &Argument,
        comm: Comm,
        extent: Extent,
    ) -> Outcome<()> {
        let own = operands(send, receive);
        let team = Team::of(comm, -1, own.items())?;
        let (rank, ranks) = (team.rank(), team.ranks());
        let sum = copy(own)?;
        let upward = |step| (rank + step < ranks).then_some((sum.argument(), rank + step));
        let mut step = 1;
        while step < ranks {
            let below = room(sum.argument())?;
            let from = rank.checked_sub(step).map(|other| (below.argument(), other));
            team.exchange(upward(step), from)?;
            if from.is_some() {
                self.combine(below.argument(), sum.argument())?;
            }
            step *= 2;
        }
        match extent {
            Extent::Inclusive => {
                write(receive)?.set_vars(&read(sum.argument())?.vars());
                Ok(())
            }
            Extent::Exclusive => {
                team.exchange(upward(1), rank.checked_sub(1).map(|other| (receive, other)))
            }
        }
    }
}
